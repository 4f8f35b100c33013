"""Every symbolic source: a case is a function of the seed and its number."""

import numpy as np
import pytest

from timegrain.core.errors import ConfigError
from timegrain.data.generated import case_numbers
from timegrain.data.symbolic.brackets import DYCK
from timegrain.data.symbolic.groups import A5_STATE, S5_STATE
from timegrain.data.symbolic.induction import INDUCTION_HEADS
from timegrain.data.symbolic.nested import LRA_LISTOPS
from timegrain.data.symbolic.next_character import PYTHON_NEXT
from timegrain.data.symbolic.pathfinder import PATHFINDER
from timegrain.data.symbolic.recall import MQAR
from timegrain.data.symbolic.selective import SELECTIVE_COPYING
from timegrain.data.symbolic.sums import MODULAR_ADDITION, PARITY

SOURCES = (
    PARITY,
    MODULAR_ADDITION,
    S5_STATE,
    A5_STATE,
    DYCK,
    INDUCTION_HEADS,
    SELECTIVE_COPYING,
    MQAR,
    LRA_LISTOPS,
    PYTHON_NEXT,
    PATHFINDER,
)
EVERY = tuple(s.turned(answer="every") for s in SOURCES if "answer" in s.options)
INDEX = np.concatenate([case_numbers(part, 3) for part in ("train", "validation", "test")])


@pytest.mark.parametrize("source", [*SOURCES, *EVERY], ids=repr)
def test_a_case_is_the_same_whoever_makes_it(source):
    together = source.cases(INDEX, seed=3)
    backwards = source.cases(INDEX[::-1], seed=3)
    alone = source.cases(INDEX[4:5], seed=3)
    other = source.cases(INDEX, seed=4)
    assert (together.sequences == backwards.sequences[::-1]).all()
    assert (together.labels == backwards.labels[::-1]).all()
    assert (together.known == backwards.known[::-1]).all()
    assert (together.sequences[4:5] == alone.sequences).all()
    assert (together.labels[4:5] == alone.labels).all()
    assert not (together.sequences == other.sequences).all()
    assert len({case.tobytes() for case in together.sequences}) == len(INDEX)


@pytest.mark.parametrize("source", [*SOURCES, *EVERY], ids=repr)
def test_what_a_source_says_of_its_cases_holds(source):
    made = source.cases(INDEX)
    if source.kind == "tokens":
        assert made.sequences.dtype == np.int64
        assert made.sequences.min() >= 0 and made.sequences.max() < source.n_symbols
        assert len(source.vocabulary) == source.n_symbols == len(set(source.vocabulary))
    shape = made.sequences.shape[:2] if source.per_sample else (len(INDEX),)
    assert made.labels.shape == shape and made.labels.dtype == np.int64
    assert made.labels.min() >= (-1 if source.per_sample else 0)
    assert made.labels.max() < len(source.class_names)
    behind = np.arange(made.sequences.shape[1]) >= made.known[:, None]
    assert (made.sequences[behind] == 0).all()
    if source.answers is not None:
        labels, _ = source.answers(INDEX, seed=0, **source.settings)
        assert (labels == made.labels).all()


@pytest.mark.parametrize(
    "turned",
    [
        lambda: PARITY.turned(length=39),
        lambda: PARITY.turned(modulus=3),
        lambda: MODULAR_ADDITION.turned(modulus=1),
        lambda: DYCK.turned(kinds=1),
        lambda: DYCK.turned(depth=2),
        lambda: SELECTIVE_COPYING.turned(length=20, marked=21),
        lambda: MQAR.turned(symbols=63),
        lambda: MQAR.turned(symbols=16, pairs=8),
        lambda: MQAR.turned(length=31),
        lambda: MQAR.turned(answer="some"),
        lambda: LRA_LISTOPS.turned(shortest=600, longest=599),
        lambda: INDUCTION_HEADS.turned(symbols=2),
        lambda: PATHFINDER.turned(dashes=21),
        lambda: PYTHON_NEXT.turned(length=100_000_000).cases(INDEX),
    ],
)
def test_options_outside_their_domain(turned):
    with pytest.raises(ConfigError):
        turned()

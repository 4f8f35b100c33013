"""The same again is the same to the bit, and a case is itself whoever makes it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64

from timegrain.data.generated.generator import Generator
from timegrain.data.generated.parts import case_numbers
from timegrain.data.source_check.digest import data_digests, digest
from timegrain.data.source_check.global_generators import global_generators
from timegrain.data.source_check.row import SourceRow, holds, not_applicable
from timegrain.data.source_check.subject import Subject

CURE = "draws from case_streams(seed, name, index) alone, and no sum over several cases"
_ALONE = 3


def check_determinism(subject: Subject) -> Iterator[SourceRow]:
    """Load twice; make cases twice, in other orders, alone and beside others, by other seeds."""
    if subject.again is None:
        yield not_applicable("it was given as it is", case="twice")
    else:
        with global_generators() as touched:
            again = subject.again()
        same = data_digests(again) == data_digests(subject.data)
        yield holds(same, "same bits", wrong="two loads differ", case="twice", cure=CURE)
        yield holds(
            not touched,
            "left alone",
            wrong=f"drawn from or seeded: that of {', '.join(touched)}",
            case="global generator",
            cure="generators of one's own, such as numpy.random.default_rng(seed)",
        )
    if subject.generator is None:
        yield not_applicable("its sequences are not made by number", case="by number")
        return
    yield from _by_number(subject.generator, subject.seed)


def _by_number(generator: Generator, seed: int) -> Iterator[SourceRow]:
    made = _Maker(generator, seed)
    index = np.concatenate(
        [case_numbers("train", generator.n_train), case_numbers("test", generator.n_test)]
    )
    together = made(index)
    turned = np.random.default_rng(0).permutation(len(index))
    yield _same(made(index[turned]), [together[i] for i in turned], "other order")
    some = np.unique(np.linspace(0, len(index) - 1, _ALONE).astype(int))
    alone = [made(index[i : i + 1])[0] for i in some]
    yield _same(alone, [together[i] for i in some], "alone")
    twice = made(np.repeat(index[:1], 2))
    yield _same(twice, [together[0], together[0]], "one case twice")
    other = _Maker(generator, seed + 1)(index)
    yield holds(
        other != together,
        "other cases",
        wrong="another seed makes the same cases",
        case="another seed",
        cure="draws that depend on the seed",
    )
    yield from _answers(generator, seed, index)


def _same(found: list[bytes], wanted: list[bytes], case: str) -> SourceRow:
    wrong = sum(a != b for a, b in zip(found, wanted, strict=True))
    return holds(
        wrong == 0, "same bits", wrong=f"{wrong} of {len(found)} differ", case=case, cure=CURE
    )


@dataclass(frozen=True)
class _Maker:
    generator: Generator
    seed: int

    def __call__(self, index: Int64[np.ndarray, " case"]) -> list[bytes]:
        """Return a word for each case; how far it is padded does not count."""
        cases = self.generator.cases(index, seed=self.seed)
        per_sample = self.generator.per_sample
        return [
            digest(x[:n]) + digest(y[:n] if per_sample else y)
            for x, y, n in zip(cases.sequences, cases.labels, cases.known.tolist(), strict=True)
        ]


def _answers(
    generator: Generator, seed: int, index: Int64[np.ndarray, " case"]
) -> Iterator[SourceRow]:
    if generator.answers is None:
        return
    labels, lengths = generator.answers(index, seed=seed, **generator.settings)
    cases = generator.cases(index, seed=seed)
    same = labels.shape == cases.labels.shape and bool((labels == cases.labels).all())
    known = cases.known if lengths is None else lengths
    yield holds(
        same and bool((known == cases.known).all()),
        "those of the cases",
        wrong="answers gives other labels or lengths than make",
        case="answers",
        cure="one function that draws what the labels are made of, called by both",
    )

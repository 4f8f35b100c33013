"""Induction heads: what stood behind a mark is to be told when the mark comes again."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Int64

from timegrain.data.generated.cases import Cases
from timegrain.data.generated.generator import Generator
from timegrain.data.generated.option import whole
from timegrain.data.generated.streams import case_streams
from timegrain.data.symbolic.sizes import N_TEST, N_TRAIN, N_VALIDATION


def induction_heads(
    index: Int64[np.ndarray, " case"], *, seed: int, length: int, symbols: int
) -> Cases:
    """Return uniform symbols among which a mark stands twice, the second time at the end.

    The answer is the symbol behind the first mark, whose place is uniform.

    Args:
        index: Numbers of the cases.
        seed: Of the draw.
        length: Symbols of each case.
        symbols: Kinds of symbols; the last of them is the mark.

    Source:
        Gu and Dao, Mamba: Linear-Time Sequence Modeling with Selective State Spaces (2023),
        section 4.1.2: length 256, 16 symbols; cases are drawn anew for every step there.

    Example:
        >>> made = induction_heads(np.array([0]), seed=0, length=16, symbols=4)
        >>> mark = int(np.flatnonzero(made.sequences[0] == 3)[0])
        >>> bool(made.sequences[0, mark + 1] == made.labels[0])
        True
    """
    x = np.zeros((len(index), length), dtype=np.int64)
    labels = np.zeros(len(index), dtype=np.int64)
    for i, random in enumerate(case_streams(seed, "induction-heads", index)):
        x[i] = random.integers(0, symbols - 1, length)
        mark = int(random.integers(0, length - 2))
        x[i, [mark, length - 1]] = symbols - 1
        labels[i] = x[i, mark + 1]
    return Cases(sequences=x, labels=labels)


def _fields(*, length: int, symbols: int) -> Mapping[str, Any]:
    words = tuple(f"s{i}" for i in range(symbols - 1))
    return {"n_symbols": symbols, "vocabulary": (*words, "mark"), "class_names": words}


INDUCTION_HEADS = Generator(
    name="induction-heads",
    make=induction_heads,
    source="after A. Gu and T. Dao, Mamba: linear-time sequence modeling with selective state "
    "spaces, arXiv 2312.00752 (2023); generated here",
    values="a symbol, or the mark",
    label="the symbol behind the first mark",
    options={
        "length": whole(256, 48, None, "the number of symbols"),
        "symbols": whole(16, 3, 10_000, "the number of kinds of symbols, the mark among them"),
    },
    n_train=N_TRAIN,
    n_validation=N_VALIDATION,
    n_test=N_TEST,
    kind="tokens",
    unit="symbol",
    target="class",
    depends=_fields,
).turned()

"""Selective copying: symbols scattered among blanks, to be told again in their order."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Int64

from timegrain.core.errors import ConfigError
from timegrain.data.generated.cases import Cases
from timegrain.data.generated.generator import Generator
from timegrain.data.generated.option import whole
from timegrain.data.generated.streams import case_streams
from timegrain.data.symbolic.gather import Drawn, gather
from timegrain.data.symbolic.sizes import N_TEST, N_TRAIN, N_VALIDATION
from timegrain.data.symbolic.sums import ANSWER

SYMBOLS = tuple("ABCDEFGHIJKLMN")
FIRST_QUESTION = 1 + len(SYMBOLS)


def selective_copying(
    index: Int64[np.ndarray, " case"], *, seed: int, length: int, marked: int, answer: str
) -> Cases:
    """Return blanks with `marked` symbols at random places, and then what is asked.

    With `"every"`, as published, `marked` tokens follow that say to write, and the answer at each
    is the next of the symbols, in their order; elsewhere none is asked. With `"last"`, one token
    follows that says which of the symbols to tell, each as often: a network that answers causally
    scores on it what it would score on all.

    Args:
        index: Numbers of the cases.
        seed: Of the draw.
        length: Places in front of what is asked.
        marked: How many of them hold a symbol.
        answer: `"last"` or `"every"`.

    Raises:
        ConfigError: If the symbols do not fit into the places.

    Source:
        Gu and Dao, Mamba: Linear-Time Sequence Modeling with Selective State Spaces (2023),
        sections 3.1 and 4.1.1: 4,096 places, 16 symbols; cases are drawn anew for every step
        there.

    Example:
        >>> made = selective_copying(np.array([0]), seed=0, length=32, marked=16, answer="every")
        >>> copied = made.labels[0][made.labels[0] >= 0]
        >>> before = made.sequences[0, :32]
        >>> bool((copied == before[before > 0] - 1).all())
        True
    """
    _fits(length, marked)
    drawn: list[Drawn] = []
    for random in case_streams(seed, "selective-copying", index):
        places = np.sort(random.permutation(length)[:marked])
        symbols = random.integers(0, len(SYMBOLS), marked)
        asked = int(random.integers(0, marked))
        after = marked if answer == "every" else 1
        x = np.zeros(length + after, dtype=np.int64)
        x[places] = 1 + symbols
        if answer == "every":
            x[length:] = FIRST_QUESTION
            labels = np.full(len(x), -1)
            labels[length:] = symbols
            drawn.append((x, labels))
        else:
            x[length] = FIRST_QUESTION + asked
            drawn.append((x, int(symbols[asked])))
    return gather(drawn, longest=length + (marked if answer == "every" else 1))


def _fits(length: int, marked: int) -> None:
    if marked > length:
        raise ConfigError(
            "the symbols do not fit into the places",
            got=f"marked={marked}, length={length}",
            expected="marked <= length",
        )


def _fields(*, length: int, marked: int, answer: str) -> Mapping[str, Any]:
    _fits(length, marked)
    every = answer == "every"
    asks = ("write",) if every else tuple(f"which {i + 1}" for i in range(marked))
    vocabulary = (".", *SYMBOLS, *asks)
    return {
        "n_symbols": len(vocabulary),
        "vocabulary": vocabulary,
        "class_names": SYMBOLS,
        "target": "class-per-sample" if every else "class",
    }


SELECTIVE_COPYING = Generator(
    name="selective-copying",
    make=selective_copying,
    source="after A. Gu and T. Dao, Mamba: linear-time sequence modeling with selective state "
    "spaces, arXiv 2312.00752 (2023); generated here",
    values="a symbol, a blank, or what is asked",
    label="one of the symbols, 14 classes",
    options={
        "length": whole(256, 16, None, "the number of places in front of what is asked"),
        "marked": whole(16, 8, None, "the number of places that hold a symbol"),
        "answer": ANSWER,
    },
    n_train=N_TRAIN,
    n_validation=N_VALIDATION,
    n_test=N_TEST,
    kind="tokens",
    unit="symbol",
    target="class",
    depends=_fields,
).turned()

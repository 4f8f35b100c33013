"""Sums modulo a number: parity, and addition in a cyclic group."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Int64

from timegrain.data.generated.cases import Cases
from timegrain.data.generated.generator import Generator
from timegrain.data.generated.option import choice, whole
from timegrain.data.generated.streams import case_streams
from timegrain.data.symbolic.sizes import N_TEST, N_TRAIN, N_VALIDATION

# shorter sequences of two symbols are so few that a case to test on would also be trained on
SHORTEST = 40

LENGTH = whole(128, SHORTEST, None, "the number of symbols")
ANSWER = choice("last", ("last", "every"), "whether one answer is asked for, or one every symbol")


def parity(index: Int64[np.ndarray, " case"], *, seed: int, length: int, answer: str) -> Cases:
    """Return uniform bits; the answer is whether the number of ones is odd.

    Args:
        index: Numbers of the cases.
        seed: Of the draw.
        length: Bits of each case.
        answer: `"last"` for one answer a case, `"every"` for that of the bits so far at every bit.

    Source:
        Deletang et al., Neural Networks and the Chomsky Hierarchy (ICLR 2023), the task "parity
        check"; there the length varies.

    Example:
        >>> made = parity(np.array([4]), seed=0, length=40, answer="last")
        >>> int(made.sequences.sum() % 2) == int(made.labels[0])
        True
    """
    return _sums("parity", index, seed=seed, modulus=2, length=length, answer=answer)


def modular_addition(
    index: Int64[np.ndarray, " case"], *, seed: int, modulus: int, length: int, answer: str
) -> Cases:
    """Return uniform numbers below `modulus`; the answer is their sum modulo `modulus`.

    Args:
        index: Numbers of the cases.
        seed: Of the draw.
        modulus: How many numbers there are.
        length: Numbers of each case.
        answer: As in `parity`.

    Source:
        The word problem of the cyclic group, as in Merrill, Petty and Sabharwal, The Illusion of
        State in State-Space Models (ICML 2024), section 5, with `modulus=60`.

    Example:
        >>> made = modular_addition(np.array([4]), seed=0, modulus=5, length=40, answer="every")
        >>> bool((made.labels == made.sequences.cumsum(axis=1) % 5).all())
        True
    """
    return _sums(
        "modular-addition", index, seed=seed, modulus=modulus, length=length, answer=answer
    )


def _sums(
    name: str,
    index: Int64[np.ndarray, " case"],
    *,
    seed: int,
    modulus: int,
    length: int,
    answer: str,
) -> Cases:
    x = np.zeros((len(index), length), dtype=np.int64)
    for row, random in zip(x, case_streams(seed, name, index), strict=True):
        row[:] = random.integers(0, modulus, length)
    totals = x.cumsum(axis=1) % modulus
    return Cases(sequences=x, labels=totals if answer == "every" else totals[:, -1])


def _fields(*, modulus: int = 2, length: int, answer: str) -> Mapping[str, Any]:
    numbers = tuple(str(number) for number in range(modulus))
    return {
        "n_symbols": modulus,
        "vocabulary": numbers,
        "class_names": numbers if modulus != 2 else ("even", "odd"),
        "target": "class-per-sample" if answer == "every" else "class",
    }


PARITY = Generator(
    name="parity",
    make=parity,
    source="after G. Deletang et al., Neural networks and the Chomsky hierarchy, ICLR (2023); "
    "generated here",
    values="a bit",
    label="whether the number of ones is odd, 2 classes",
    options={"length": LENGTH, "answer": ANSWER},
    n_train=N_TRAIN,
    n_validation=N_VALIDATION,
    n_test=N_TEST,
    kind="tokens",
    unit="symbol",
    target="class",
    depends=_fields,
).turned()
MODULAR_ADDITION = Generator(
    name="modular-addition",
    make=modular_addition,
    source="after W. Merrill, J. Petty and A. Sabharwal, The illusion of state in state-space "
    "models, ICML (2024), the cyclic group; generated here",
    values="a number below the modulus",
    label="the sum modulo the modulus",
    options={
        "modulus": whole(5, 2, 1000, "the number the sum is taken modulo"),
        "length": LENGTH,
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

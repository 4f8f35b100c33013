"""Tracking the state of a group: what a row of permutations comes to."""

import functools
from collections.abc import Mapping
from itertools import combinations, permutations
from typing import Any

import numpy as np
from jaxtyping import Int64

from timegrain.data.generated.cases import Cases
from timegrain.data.generated.generator import Generator
from timegrain.data.generated.option import whole
from timegrain.data.generated.streams import case_streams
from timegrain.data.symbolic.sizes import N_TEST, N_TRAIN, N_VALIDATION
from timegrain.data.symbolic.sums import ANSWER

# shorter sequences are so few that a case to test on could also be trained on
SHORTEST = 8


def group_elements(name: str) -> tuple[tuple[int, ...], ...]:
    """Return the permutations of five things that make up a group, in the order of their words.

    `p` takes what stands at `i` to `p[i]`.

    Args:
        name: `"S5"`, all 120 of them, or `"A5"`, the 60 even ones.

    Example:
        >>> len(group_elements("S5")), len(group_elements("A5")), group_elements("A5")[1]
        (120, 60, (0, 1, 3, 4, 2))
    """
    every = tuple(permutations(range(5)))
    if name == "S5":
        return every
    return tuple(
        p for p in every if sum(p[i] > p[j] for i, j in combinations(range(5), 2)) % 2 == 0
    )


def s5_state(index: Int64[np.ndarray, " case"], *, seed: int, length: int, answer: str) -> Cases:
    """Return uniform permutations of five things; the answer is what they come to, one of 120.

    The first is applied first.

    Args:
        index: Numbers of the cases.
        seed: Of the draw.
        length: Permutations of each case.
        answer: `"last"` for one answer a case, `"every"` for the state behind every permutation.

    Source:
        Merrill, Petty and Sabharwal, The Illusion of State in State-Space Models (ICML 2024),
        sections 3 and 5; there an answer is asked for behind every permutation.

    Example:
        >>> made = s5_state(np.array([2]), seed=0, length=8, answer="every")
        >>> bool(made.labels[0, 0] == made.sequences[0, 0])
        True
    """
    return _states("S5", index, seed=seed, length=length, answer=answer)


def a5_state(index: Int64[np.ndarray, " case"], *, seed: int, length: int, answer: str) -> Cases:
    """Return uniform even permutations of five things; the answer is what they come to, one of 60.

    Args:
        index: Numbers of the cases.
        seed: Of the draw.
        length: Permutations of each case.
        answer: As in `s5_state`.

    Source:
        As of `s5_state`.

    Example:
        >>> int(a5_state(np.arange(9), seed=0, length=8, answer="last").labels.max()) < 60
        True
    """
    return _states("A5", index, seed=seed, length=length, answer=answer)


@functools.cache
def _after(name: str) -> Int64[np.ndarray, "next state"]:
    """Table of the state behind a permutation, by that permutation and the state before it."""
    elements = np.array(group_elements(name))
    number = {p: i for i, p in enumerate(group_elements(name))}
    composed = elements[:, elements]  # [next, state, i] = next[state[i]]
    return np.array([[number[tuple(p)] for p in row] for row in composed.tolist()], dtype=np.int64)


def _states(
    name: str, index: Int64[np.ndarray, " case"], *, seed: int, length: int, answer: str
) -> Cases:
    after = _after(name)
    x = np.zeros((len(index), length), dtype=np.int64)
    for row, random in zip(x, case_streams(seed, f"{name.lower()}-state", index), strict=True):
        row[:] = random.integers(0, len(after), length)
    states = x.copy()
    for t in range(1, length):
        states[:, t] = after[x[:, t], states[:, t - 1]]
    return Cases(sequences=x, labels=states if answer == "every" else states[:, -1])


def _fields(name: str, *, length: int, answer: str) -> Mapping[str, Any]:
    words = tuple("".join(map(str, p)) for p in group_elements(name))
    return {
        "n_symbols": len(words),
        "vocabulary": words,
        "class_names": words,
        "target": "class-per-sample" if answer == "every" else "class",
    }


def _generator(name: str, make: Any, group: str) -> Generator:
    return Generator(
        name=name,
        make=make,
        source="after W. Merrill, J. Petty and A. Sabharwal, The illusion of state in state-space "
        "models, ICML (2024); generated here",
        values="a permutation of five things",
        label=f"what they come to, {len(group_elements(group))} classes",
        options={
            "length": whole(128, SHORTEST, None, "the number of permutations"),
            "answer": ANSWER,
        },
        n_train=N_TRAIN,
        n_validation=N_VALIDATION,
        n_test=N_TEST,
        kind="tokens",
        unit="symbol",
        target="class",
        depends=functools.partial(_fields, group),
    ).turned()


S5_STATE = _generator("s5-state", s5_state, "S5")
A5_STATE = _generator("a5-state", a5_state, "A5")

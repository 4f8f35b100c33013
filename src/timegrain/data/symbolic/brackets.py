"""Nested brackets, of which the one that closes next is asked for."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Int64

from timegrain.data.generated.cases import Cases
from timegrain.data.generated.generator import Generator
from timegrain.data.generated.option import whole
from timegrain.data.generated.streams import case_streams
from timegrain.data.symbolic.gather import Drawn, gather
from timegrain.data.symbolic.sizes import N_TEST, N_TRAIN, N_VALIDATION
from timegrain.data.symbolic.sums import ANSWER


def dyck(
    index: Int64[np.ndarray, " case"],
    *,
    seed: int,
    length: int,
    kinds: int,
    depth: int,
    answer: str,
) -> Cases:
    """Return beginnings of well nested brackets; the answer is the kind that must close next.

    Where nothing is open a bracket opens, where `depth` are open one closes, and else either
    happens with probability 1/2; kinds are uniform. The last bracket closes and leaves others
    open, so that the answer is never the one just read.

    Args:
        index: Numbers of the cases.
        seed: Of the draw.
        length: Brackets of each case.
        kinds: Kinds of brackets; token `i` opens kind `i`, and `kinds + i` closes it.
        depth: Most brackets open at once.
        answer: `"last"` for one answer a case; `"every"` for one behind every bracket, number
            `kinds` where nothing is open.

    Source:
        Hewitt, Hahn, Ganguli, Liang and Manning, RNNs can generate bounded hierarchical languages
        with optimal memory (EMNLP 2020), the language Dyck-(k, m); there a model generates, and
        its closing brackets are scored.

    Example:
        >>> made = dyck(np.array([0]), seed=0, length=32, kinds=3, depth=4, answer="last")
        >>> bool(made.sequences[0, -1] >= 3), bool(made.labels[0] < 3)
        (True, True)
    """
    every = answer == "every"
    drawn: list[Drawn] = []
    for random in case_streams(seed, "dyck", index):
        tokens, next_to_close = _word(random, length=length, kinds=kinds, depth=depth)
        drawn.append((np.array(tokens), np.array(next_to_close) if every else next_to_close[-1]))
    return gather(drawn, longest=length)


def _word(
    random: np.random.Generator, *, length: int, kinds: int, depth: int
) -> tuple[list[int], list[int]]:
    while True:
        opens = (random.random(length) < 0.5).tolist()
        kind = random.integers(0, kinds, length).tolist()
        opens[-1] = False
        tokens: list[int] = []
        answers: list[int] = []
        stack: list[int] = []
        for k in range(length):
            if len(stack) < depth and (opens[k] or not stack):
                stack.append(kind[k])
                tokens.append(kind[k])
            else:
                tokens.append(kinds + stack.pop())
            answers.append(stack[-1] if stack else kinds)
        if tokens[-1] >= kinds and stack:
            return tokens, answers


def _fields(*, length: int, kinds: int, depth: int, answer: str) -> Mapping[str, Any]:
    closing = tuple(f"{i}>" for i in range(kinds))
    every = answer == "every"
    return {
        "n_symbols": 2 * kinds,
        "vocabulary": (*(f"<{i}" for i in range(kinds)), *closing),
        "class_names": (*closing, "nothing") if every else closing,
        "target": "class-per-sample" if every else "class",
    }


DYCK = Generator(
    name="dyck",
    make=dyck,
    source="after J. Hewitt et al., RNNs can generate bounded hierarchical languages with optimal "
    "memory, EMNLP (2020); generated here",
    values="a bracket that opens or closes",
    label="the kind of bracket that closes next",
    options={
        "length": whole(128, 64, None, "the number of brackets"),
        "kinds": whole(8, 2, 1000, "the number of kinds of brackets"),
        "depth": whole(5, 3, 1000, "the most brackets that are open at once"),
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

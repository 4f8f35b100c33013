"""Multi-query associative recall: pairs of a key and a value, and keys whose value is asked."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Int64

from timegrain.core.errors import ConfigError
from timegrain.data.generated.cases import Cases
from timegrain.data.generated.generator import Generator
from timegrain.data.generated.option import number, whole
from timegrain.data.generated.streams import case_streams
from timegrain.data.symbolic.gather import Drawn, gather
from timegrain.data.symbolic.sizes import N_TEST, N_TRAIN, N_VALIDATION
from timegrain.data.symbolic.sums import ANSWER


def mqar(
    index: Int64[np.ndarray, " case"],
    *,
    seed: int,
    length: int,
    pairs: int,
    symbols: int,
    spread: float,
    answer: str,
) -> Cases:
    """Return `pairs` keys, each with its value behind it, and then every key once more.

    Keys are different tokens from 1 below `symbols / 2`, values different ones from there on. The
    keys come again, in the order of the pairs assigned to them, at even places behind the pairs;
    place `2 g` behind them is taken with a weight of `(g + 1)^(spread - 1)`, none twice. All other
    places hold uniform tokens. The answer at such a key is its value. With `"every"`, as published,
    no answer is asked for elsewhere; with `"last"` the case ends with one of these keys, each as
    often, and its value is the one answer: a network that answers causally scores on it what it
    would score on all.

    Args:
        index: Numbers of the cases.
        seed: Of the draw.
        length: Tokens of a case, the most with `"last"`.
        pairs: Keys of each case.
        symbols: Kinds of tokens, an even number.
        spread: 1 spreads the later keys evenly; the smaller, the closer they follow the pairs.
        answer: `"last"` or `"every"`.

    Raises:
        ConfigError: If the pairs do not fit into the case or the tokens.

    Source:
        Arora et al., Zoology: Measuring and Improving Recall in Efficient Language Models (ICLR
        2024), section 3 and the rule of its synthetic data: 8,192 kinds of tokens, 4 to 64 pairs
        in 64 to 512 tokens, spread .01.

    Example:
        >>> asked = dict(length=32, pairs=4, symbols=32, spread=0.01)
        >>> made = mqar(np.array([0]), seed=0, answer="last", **asked)
        >>> x = made.sequences[0, : made.lengths[0]]
        >>> key = int(np.flatnonzero(x[:8:2] == x[-1])[0])
        >>> bool(x[2 * key + 1] - 16 == made.labels[0])
        True
    """
    _fits(length, pairs, symbols)
    half, context = symbols // 2, 2 * pairs
    weights = np.arange(1, (length - context) // 2 + 1) ** (spread - 1)
    drawn: list[Drawn] = []
    for random in case_streams(seed, "mqar", index):
        x = random.integers(0, symbols, length)
        keys = 1 + random.permutation(half - 1)[:pairs]
        values = half + random.permutation(half)[:pairs]
        x[0:context:2], x[1:context:2] = keys, values
        # the first of independent exponential times at these rates: drawn one after the other
        places = context + 2 * np.argsort(random.exponential(size=len(weights)) / weights)[:pairs]
        x[places] = keys
        asked = int(random.integers(0, pairs))
        if answer == "every":
            labels = np.full(length, -1)
            labels[places] = values - half
            drawn.append((x, labels))
        else:
            drawn.append((x[: places[asked] + 1], int(values[asked]) - half))
    return gather(drawn, longest=length)


def _fits(length: int, pairs: int, symbols: int) -> None:
    if symbols % 2 or pairs > symbols // 2 - 1:
        raise ConfigError(
            "there are too few kinds of tokens for keys and values of their own",
            got=f"pairs={pairs}, symbols={symbols}",
            expected="an even number of symbols, 2 * pairs + 2 or more",
        )
    if length < 4 * pairs:
        raise ConfigError(
            "the pairs and the keys that ask for them do not fit into the case",
            got=f"pairs={pairs}, length={length}",
            expected="length >= 4 * pairs",
        )


def _fields(
    *, length: int, pairs: int, symbols: int, spread: float, answer: str
) -> Mapping[str, Any]:
    _fits(length, pairs, symbols)
    half = symbols // 2
    values = tuple(f"v{i}" for i in range(half))
    return {
        "n_symbols": symbols,
        "vocabulary": (".", *(f"k{i}" for i in range(1, half)), *values),
        "class_names": values,
        "target": "class-per-sample" if answer == "every" else "class",
    }


MQAR = Generator(
    name="mqar",
    make=mqar,
    source="after S. Arora et al., Zoology: measuring and improving recall in efficient language "
    "models, ICLR (2024); generated here",
    values="a key, a value, or anything between",
    label="the value of the key",
    options={
        "length": whole(128, 16, None, "the number of tokens"),
        "pairs": whole(8, 4, None, "the number of keys with a value"),
        "symbols": whole(64, 16, 1 << 20, "the number of kinds of tokens, an even number"),
        "spread": number(0.01, 0.0, 10.0, "how evenly the later keys spread, 1 for evenly"),
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

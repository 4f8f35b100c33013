"""Symbols scattered among blanks, of which the last one is to be told."""

import numpy as np

from timegrain.core.errors import ConfigError
from timegrain.core.seeds import stream
from timegrain.data.dataset import Dataset

N_CASES = 5000
LENGTH = 128
N_MARKED = 16
N_SYMBOLS = 14
BLANK = "."
SYMBOLS = tuple("ABCDEFGHIJKLMN")


def selective_copy_last(
    n_cases: int = N_CASES, *, length: int = LENGTH, n_marked: int = N_MARKED, seed: int = 0
) -> Dataset:
    """Return sequences of blanks in which some places hold symbols; the label is the last of them.

    The places are drawn without repetition, the symbols independently and uniformly.

    Args:
        n_cases: Sequences, four in five of them to train.
        length: Places in each.
        n_marked: How many of them hold a symbol.
        seed: Of the draw.

    Raises:
        ConfigError: If the symbols do not fit into the sequence.

    Note:
        This is a classification made from selective copying, not the published task. There all 16
        symbols are to be written out in their order, behind the sequence, at 16 places that hold a
        seventeenth kind of token; here a single answer names the last one, so that those places
        and that token do not exist. There sequences have 4,096 places and are drawn anew for every
        step; here they have 128, and there are 5,000 of them. The same are 16 symbols a sequence,
        of 14 kinds, at random places.

    Source:
        Gu and Dao, Mamba: Linear-Time Sequence Modeling with Selective State Spaces (2023),
        sections 3.1 and 4.1.1.

    Example:
        >>> data = selective_copy_last(3, length=10, n_marked=3)
        >>> "".join(data.vocabulary[symbol] for symbol in data.sequences[0])
        '...I..DC..'
        >>> data.class_names[data.labels[0]]
        'C'
    """
    if n_cases < 2 or not 1 <= n_marked <= length or length < 2:
        raise ConfigError(
            "no such sequences",
            got=f"n_cases={n_cases}, length={length}, n_marked={n_marked}",
            expected="2 cases or more, and 1 <= n_marked <= length",
        )
    random = stream(seed, "selective-copy-last")
    places = np.sort(random.random((n_cases, length)).argsort(axis=1)[:, :n_marked], axis=1)
    symbols = random.integers(1, 1 + N_SYMBOLS, (n_cases, n_marked))
    x = np.zeros((n_cases, length), dtype=np.int64)
    np.put_along_axis(x, places, symbols, axis=1)
    return Dataset(
        name="selective-copy-last",
        sequences=tuple(x),
        labels=symbols[:, -1] - 1,
        class_names=SYMBOLS,
        n_train=4 * n_cases // 5,
        vocabulary=(BLANK, *SYMBOLS),
        kind="tokens",
    )

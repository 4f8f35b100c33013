"""Which sequences train and which test, when nobody published it."""

import numpy as np
from jaxtyping import Int64

from timegrain.core.errors import DataError
from timegrain.core.seeds import stream

TEST_SHARE = 0.2


def split(
    labels: np.ndarray, *, seed: int = 0, stratify: bool = True
) -> tuple[Int64[np.ndarray, " train"], Int64[np.ndarray, " test"]]:
    """Return the sequences that train and the fifth that tests, each in their own order.

    Args:
        labels: One a sequence, `(batch,)`.
        seed: Other seeds give other splits.
        stratify: Take a fifth of every class (rounded; at least one stays in training), not a
            fifth of all.

    Raises:
        DataError: If there are too few sequences for a test part.

    Example:
        >>> train, test = split(np.repeat([0, 1], 10))
        >>> len(train), len(test)
        (16, 4)
    """
    rng = stream(seed, "split")
    keys = np.unique(labels) if stratify else [None]
    test: list[int] = []
    for key in keys:
        members = np.arange(len(labels)) if key is None else np.flatnonzero(labels == key)
        count = min(round(TEST_SHARE * len(members)), len(members) - 1)
        test += rng.permutation(members)[:count].tolist()
    if not test:
        raise DataError(
            "too few labelled sequences to set a fifth aside for testing",
            got=f"{len(labels)} sequences in {len(keys)} classes",
            expected="three or more in some class",
        )
    chosen = np.zeros(len(labels), dtype=bool)
    chosen[test] = True
    return np.flatnonzero(~chosen), np.flatnonzero(chosen)

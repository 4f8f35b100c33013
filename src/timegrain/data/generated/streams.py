"""Random numbers of a case: a function of a seed, a name and the case's number."""

import hashlib
from collections.abc import Iterator

import numpy as np
from jaxtyping import Int64


def case_streams(
    seed: int, name: str, index: Int64[np.ndarray, " case"]
) -> Iterator[np.random.Generator]:
    """Yield one random generator a case, which draws the same whoever makes the case.

    The seed and the name are the key of a counter-based generator and the case's number is the
    upper word of its counter, so that no two cases share a number, and none depends on another.

    Args:
        seed: `0 <= seed < 2^64`.
        name: What the numbers are for; other names give independent ones.
        index: Numbers of the cases, >= 0.

    Source:
        Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3 (SC 2011).

    Example:
        >>> both = [r.random() for r in case_streams(0, "walk", np.array([3, 8]))]
        >>> both[1] == next(case_streams(0, "walk", np.array([8]))).random()
        True
    """
    word = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")
    key = np.array([seed, word], dtype=np.uint64)
    counter = np.zeros(4, dtype=np.uint64)
    for case in np.asarray(index, dtype=np.int64).tolist():
        counter[3] = case
        yield np.random.Generator(np.random.Philox(key=key, counter=counter))

"""Random numbers that are a function of a key and a counter, so that work can be split anywhere."""

import numpy as np
from jaxtyping import Int64, UInt8, UInt32

_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = 0x9E3779B9, 0xBB67AE85
_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_ROUNDS = 10

# P(N <= n) of a Poisson variable of mean 1, as 32-bit thresholds; P(N > 12) < 2^-32
_POISSON = np.array(
    [round(2**32 * sum(1 / (np.e * np.prod(np.arange(1.0, i + 1))) for i in range(n + 1)))
     for n in range(12)], dtype=np.uint64,
)  # fmt: skip


def philox(seed: int, counters: UInt32[np.ndarray, "counter 4"]) -> UInt32[np.ndarray, "counter 4"]:
    """Return four random 32-bit words for each counter: Philox4x32 with ten rounds.

    Args:
        seed: The key, `0 <= seed < 2^64`.
        counters: Four words each.

    Source:
        Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3 (SC 2011),
        section 3.3.

    Example:
        >>> [hex(w) for w in philox(0, np.zeros((1, 4), dtype=np.uint32))[0].tolist()]
        ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    c0, c1, c2, c3 = (counters[:, i].astype(np.uint64) for i in range(4))
    k0, k1 = seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF
    for _ in range(_ROUNDS):
        left, right = c0 * _M0, c2 * _M1
        c0, c1, c2, c3 = (
            (right >> _HALF) ^ c1 ^ np.uint64(k0),
            right & _LOW,
            (left >> _HALF) ^ c3 ^ np.uint64(k1),
            left & _LOW,
        )
        k0, k1 = (k0 + _W0) & 0xFFFFFFFF, (k1 + _W1) & 0xFFFFFFFF
    return np.stack([c0, c1, c2, c3], axis=1).astype(np.uint32)


def poisson_weights(
    seed: int, cases: Int64[np.ndarray, " case"], replicates: int
) -> UInt8[np.ndarray, "case replicate"]:
    """Return how often each replicate draws each case: Poisson(1), a function of the three.

    A case's weights do not depend on which other cases there are, so sums over parts of the data
    add up to the replicates of the whole.

    Args:
        seed: `0 <= seed < 2^64`.
        cases: Indices of the cases, each >= 0.
        replicates: Number of bootstrap replicates.

    Source:
        Hanley and MacGibbon, Creating non-parametric bootstrap samples using Poisson frequencies
        (2006).

    Example:
        >>> both = poisson_weights(1, np.array([5, 9]), 8)
        >>> bool((both[1] == poisson_weights(1, np.array([9]), 8)[0]).all())
        True
    """
    blocks = -(-replicates // 4)
    counters = np.zeros((len(cases), blocks, 4), dtype=np.uint32)
    index = cases.astype(np.uint64)
    counters[..., 0] = (index & _LOW).astype(np.uint32)[:, None]
    counters[..., 1] = (index >> _HALF).astype(np.uint32)[:, None]
    counters[..., 2] = np.arange(blocks, dtype=np.uint32)[None, :]
    words = philox(seed, counters.reshape(-1, 4)).reshape(len(cases), 4 * blocks)[:, :replicates]
    weights = np.zeros(words.shape, dtype=np.uint8)
    for threshold in _POISSON:
        weights += words >= threshold
    return weights

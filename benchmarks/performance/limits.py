"""What the machine can do at most: copy memory, and issue fused products and sums."""

import time

import numpy as np
from numba import njit

from timegrain.kernels.threads import run_shared
from timegrain.kernels.vectors.arithmetic import fma
from timegrain.kernels.vectors.lanes import lane_count
from timegrain.kernels.vectors.memory import load, store

# independent sums: more than latency times issue rate of any processor at hand, as far as its
# registers go; 16 of 32 bytes hold no more than five vectors of 64, and what they are fused with
CHAINS, FEWER = 10, 5


@njit(nogil=True)
def _fused(x, turns):
    z = load(x, (CHAINS, 0))
    a, b, c, d, e = (
        load(x, (0, 0)), load(x, (1, 0)), load(x, (2, 0)), load(x, (3, 0)), load(x, (4, 0)),
    )  # fmt: skip
    f, g, h, i, j = (
        load(x, (5, 0)), load(x, (6, 0)), load(x, (7, 0)), load(x, (8, 0)), load(x, (9, 0)),
    )  # fmt: skip
    for _ in range(turns):
        a, b, c, d, e = fma(a, z, z), fma(b, z, z), fma(c, z, z), fma(d, z, z), fma(e, z, z)
        f, g, h, i, j = fma(f, z, z), fma(g, z, z), fma(h, z, z), fma(i, z, z), fma(j, z, z)
    store(x, (0, 0), a + b + c + d + e + f + g + h + i + j)


@njit(nogil=True)
def _fused_fewer(x, turns):
    z = load(x, (CHAINS, 0))
    a, b, c, d, e = (
        load(x, (0, 0)), load(x, (1, 0)), load(x, (2, 0)), load(x, (3, 0)), load(x, (4, 0)),
    )  # fmt: skip
    for _ in range(turns):
        a, b, c, d, e = fma(a, z, z), fma(b, z, z), fma(c, z, z), fma(d, z, z), fma(e, z, z)
    store(x, (0, 0), a + b + c + d + e)


@njit(nogil=True)
def _copy(source, target):
    for i in range(source.shape[0]):
        target[i] = source[i]


def issue_rate(threads, turns=2_000_000):
    """Return vectors of 64 bytes that `threads` cores together fuse a second, at best."""
    return max(
        _rate(_fused, CHAINS, threads, turns), _rate(_fused_fewer, FEWER, threads, 2 * turns)
    )


def _rate(loop, chains, threads, turns):
    x = np.full((threads, CHAINS + 1, lane_count(np.dtype(np.float32))), 0.5, np.float32)
    loop(x[0], 1)
    seconds = _shared(lambda start, stop: [loop(x[i], turns) for i in range(start, stop)], threads)
    return threads * turns * chains / seconds


def copy_bandwidth(threads, megabytes=256):
    """Return bytes a second that a plain copy reads and writes, both counted."""
    count = megabytes * 1_000_000 // 8 // threads
    source, target = np.ones((threads, count)), np.ones((threads, count))
    _copy(source[0, :1], target[0, :1])
    seconds = _shared(
        lambda start, stop: [_copy(source[i], target[i]) for i in range(start, stop)], threads
    )
    return 2 * source.nbytes / seconds


def _shared(task, threads):
    start = time.perf_counter()
    run_shared(task, threads, 1 << 30)
    return time.perf_counter() - start


def measured(threads, settings):
    """Return the largest of both, since it was possible, and all of their values."""
    sizes = (2_000, 4) if settings.quick else (2_000_000, 256)
    rounds = 2 if settings.quick else settings.rounds
    rates = [issue_rate(threads, sizes[0]) for _ in range(rounds + 1)][1:]
    copies = [copy_bandwidth(threads, sizes[1]) for _ in range(rounds + 1)][1:]
    return {
        "rate": max(rates),
        "rates": rates,
        "copy": max(copies),
        "copies": copies,
    }

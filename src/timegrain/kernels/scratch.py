"""Memory that kernels use while they run, kept for the next call.

Fresh memory costs a page fault every 4 KiB, which for a kernel of a few passes is most of its time.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from typing import Any

import torch

Wanted = tuple[tuple[int, ...], torch.dtype]
_LARGEST = 16 << 20  # bytes; beyond it what is saved is small against the work
_MOST = 64 << 20  # bytes kept in all
_ALIGN = 64
_free: dict[tuple[Wanted, ...], list[tuple[Any, ...]]] = {}
_made = [0]  # bytes of what is kept or will be


@contextmanager
def scratch(*wanted: Wanted) -> Iterator[tuple[Any, ...]]:
    """Lend arrays whose values mean nothing, aligned for vectors.

    Each step on what is kept is one operation, so that threads need no lock.

    Args:
        wanted: Shape and dtype of each.

    Example:
        >>> with scratch(((2, 3), torch.float32), ((5,), torch.float64)) as (a, b):
        ...     a.shape, b.dtype
        ((2, 3), dtype('float64'))
    """
    try:
        arrays = _free[wanted].pop()
    except (KeyError, IndexError):
        arrays = _fresh(wanted)
    try:
        yield arrays
    finally:
        kept = _free.get(wanted)
        if kept is not None:
            kept.append(arrays)


def _fresh(wanted: tuple[Wanted, ...]) -> tuple[Any, ...]:
    counts = [math.prod(shape) * dtype.itemsize for shape, dtype in wanted]
    ends = list(accumulate(-(-count // _ALIGN) * _ALIGN for count in counts))
    if ends[-1] <= _LARGEST:
        if _made[0] + ends[-1] > _MOST:
            _free.clear()
            _made[0] = 0
        _made[0] += ends[-1]
        _free.setdefault(wanted, [])
    memory = torch.empty(ends[-1], dtype=torch.uint8, device="cpu")
    parts = zip(wanted, counts, [0, *ends], strict=False)
    return tuple(memory[at : at + n].view(d).view(s).numpy() for (s, d), n, at in parts)

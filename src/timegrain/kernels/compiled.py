"""What every compiled kernel shares: a complete cache key, and threads.

Numba's disk cache looks at the file of the compiled function only. A kernel built from helpers in
other files would survive a change in them, so each kernel takes `helpers(...)` as an argument: an
array whose *type* holds a digest of those files, and types are part of the key.

Kernels release the interpreter's lock and run on a few Python threads. That costs tens of
microseconds a call, follows `torch.set_num_threads` at once, and is safe after `fork` and from
several threads, which numba's own pools are not.
"""

import hashlib
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import numpy as np
import torch

_pools: dict[int, ThreadPoolExecutor] = {}


@cache
def helpers(*modules: ModuleType) -> np.ndarray:
    """Return an array whose dtype names a digest of the source of `modules`."""
    digest = hashlib.sha256()
    for module in modules:
        digest.update(Path(str(module.__file__)).read_bytes())
    return np.zeros(1, np.dtype([(f"h{digest.hexdigest()[:16]}", np.uint8)]))


def run_shared(task: Callable[[int, int], None], items: int, work: int) -> None:
    """Call `task(start, stop)` on ranges that cover `0..items`, on as many threads as torch uses.

    Args:
        task: Runs a compiled kernel that releases the interpreter's lock.
        items: Number of independent pieces.
        work: State updates of all pieces together; below 100,000 one thread does them.
    """
    threads = 1 if work < 100_000 else max(1, min(torch.get_num_threads(), items))
    edges = [items * i // threads for i in range(threads + 1)]
    mine, *rest = pairwise(edges)
    others = [_pool().submit(task, *piece) for piece in rest]
    try:
        task(*mine)
    finally:
        wait(others)
    for other in others:
        other.result()


def _pool() -> ThreadPoolExecutor:
    """One pool a process: a pool inherited through `fork` has no threads behind it."""
    process = os.getpid()
    if process not in _pools:
        _pools.clear()
        _pools[process] = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="timegrain")
    return _pools[process]

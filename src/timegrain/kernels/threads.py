"""Run a compiled kernel on as many threads as torch uses, where possible on torch's own.

Threads of our own would fight for the cores: after each operation torch's OpenMP threads keep
spinning for a while. So on Linux the members of torch's OpenMP team are asked to call the kernel.
Elsewhere, and in a forked process (where such a team is dead), a few Python threads do. Kernels
release the interpreter's lock. Numba's pools are not used: one aborts when called from two threads,
another after a fork.
"""

import ctypes
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise

_SMALL = 100_000
_HERE = os.getpid()
_MEMBER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_pools: dict[int, ThreadPoolExecutor] = {}

Task = Callable[[int, int], None]
Team = tuple[Callable[..., None], Callable[[], int], Callable[[], int]]


def run_shared(task: Task, items: int, work: int) -> None:
    """Call `task(start, stop)` on ranges that cover `0..items`, on torch's number of threads.

    Args:
        task: Runs a compiled kernel that releases the interpreter's lock.
        items: Number of independent pieces.
        work: State updates of all pieces together; below 100,000 the calling thread does them.

    Raises:
        BaseException: The first one that a call raised.
    """
    threads = 1 if work < _SMALL else max(1, min(_threads(), items))
    ranges = list(pairwise(items * i // threads for i in range(threads + 1)))
    if threads == 1:
        task(0, items)
        return
    loaded = "torch" in sys.modules
    team = _openmp() if loaded and os.getpid() == _HERE else None
    if team is None:
        _run_in_pool(task, ranges)
    else:
        _run_in_team(team, task, ranges)


def _threads() -> int:
    """As many as torch uses; where it is not loaded, as many as it would."""
    if "torch" in sys.modules:
        return int(sys.modules["torch"].get_num_threads())
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    if wanted.isdecimal() and int(wanted):
        return int(wanted)
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


@cache
def _openmp() -> Team | None:
    """GNU OpenMP as torch loaded it (start a team, my number in it, its size), None if absent."""
    if not hasattr(os, "RTLD_NOLOAD"):
        return None
    try:
        library = ctypes.CDLL("libgomp.so.1", mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
        locked = ctypes.PyDLL("libgomp.so.1", mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
        parallel = library.GOMP_parallel
        number, size = locked.omp_get_thread_num, locked.omp_get_num_threads
    except (OSError, AttributeError):
        return None
    parallel.argtypes = [_MEMBER, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint]
    parallel.restype = None
    return parallel, number, size


def _run_in_team(team: Team, task: Task, ranges: list[tuple[int, int]]) -> None:
    parallel, number, size = team
    errors: list[BaseException] = []

    def member(_: object) -> None:
        try:
            # OpenMP may grant fewer threads than asked for
            for piece in ranges[number() :: size()]:
                task(*piece)
        except BaseException as error:  # an exception must not leave a C callback
            errors.append(error)

    parallel(_MEMBER(member), None, len(ranges), 0)
    if errors:
        raise errors[0]


def _run_in_pool(task: Task, ranges: list[tuple[int, int]]) -> None:
    others = [_pool().submit(task, *piece) for piece in ranges[1:]]
    try:
        task(*ranges[0])
    finally:
        errors = [other.exception() for other in others]
    for error in errors:
        if error is not None:
            raise error


def _pool() -> ThreadPoolExecutor:
    """One pool a process: one inherited through `fork` has no threads behind it."""
    process = os.getpid()
    if process not in _pools:
        _pools.clear()
        _pools[process] = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="timegrain")
    return _pools[process]

"""The processor, its threads, the memory, and how memory is handed out."""

import os
import platform
from collections.abc import Iterator
from pathlib import Path

from timegrain.checks.doctor.fact import NOTE, Fact
from timegrain.models.capacity import available_memory, gigabytes

GROUP = "machine"
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
MALLOC = ("MALLOC_MMAP_MAX_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_TOP_PAD_")


def machine() -> Iterator[Fact]:
    """Yield what the machine offers and what this process may use of it."""
    import torch

    cores = _cores()
    yield Fact(group=GROUP, name="processor", value=f"{_processor()}, {cores} cores usable")
    yield Fact(group=GROUP, name="memory", value=f"{gigabytes(available_memory())} free")
    threads = torch.get_num_threads()
    crowded = threads > cores
    yield Fact(
        group=GROUP,
        name="threads",
        value=f"torch uses {threads}{_listed(THREADS)}",
        verdict=NOTE if crowded else "fine",
        advice=f"OMP_NUM_THREADS={cores}: more threads than cores wait for each other"
        if crowded
        else "",
    )
    yield _accelerator()
    if platform.system() == "Linux":
        yield _malloc()


def _accelerator() -> Fact:
    import torch

    if not torch.cuda.is_available():
        return Fact(group=GROUP, name="gpu", value="none that torch can use; the CPU computes")
    return Fact(group=GROUP, name="gpu", value=torch.cuda.get_device_name())


def _malloc() -> Fact:
    unset = [name for name in MALLOC if not os.environ.get(name)]
    if not unset:
        return Fact(group=GROUP, name="malloc", value=f"memory is kept{_listed(MALLOC)}")
    wanted = (
        "MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=100000000000 MALLOC_TOP_PAD_=268435456 before "
        "the command, where trainings matter: large tensors are then not given back at every step"
    )
    return Fact(group=GROUP, name="malloc", value="glibc's defaults", verdict=NOTE, advice=wanted)


def _listed(names: tuple[str, ...]) -> str:
    found = [f"{name}={os.environ[name]}" for name in names if os.environ.get(name)]
    return f" ({' '.join(found)})" if found else ""


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(iter(names), "") or platform.processor() or platform.machine()

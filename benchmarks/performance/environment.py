"""What is recorded of the machine and of this process."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from process import MALLOC

PACKAGES = ("timegrain", "torch", "numba", "numpy", "mambapy", "transformers", "s5-pytorch")


def machine():
    """Return what the figures depend on: processor, threads, versions, load before the start."""
    import torch

    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "malloc": all(os.environ.get(name) for name in MALLOC),
        "versions": {name: _version(name) for name in PACKAGES},
    }


def processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    fields = {name.strip(): value.strip() for name, value in fields.items()}
    text = fields.get("model name", platform.machine())
    if {"cpu family", "model"} <= set(fields):
        text += f" (family {fields['cpu family']}, model {fields['model']})"
    return text


def _version(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def resident(field):
    """Return a field of this process' memory in MiB, such as `VmRSS` or `VmHWM`; Linux only."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024

"""Versions of what computes, and which extras are there."""

import platform
from collections.abc import Iterator
from importlib import metadata

from timegrain._version import __version__
from timegrain.checks.doctor.fact import BROKEN, Fact

GROUP = "versions"
NEEDED = ("torch", "numpy", "scipy", "numba", "pyarrow", "matplotlib", "safetensors")
EXTRAS = {
    "audio": ("soundfile",),
    "science": ("edfio",),
    "hf": ("transformers", "accelerate"),
    "lightning": ("pytorch-lightning",),
    "tensorboard": ("tensorboard",),
}


def versions() -> Iterator[Fact]:
    """Yield the versions of timegrain, Python and the packages it needs, and the extras."""
    yield Fact(group=GROUP, name="timegrain", value=__version__)
    system = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    yield Fact(group=GROUP, name="python", value=system)
    for package in NEEDED:
        found = _version(package)
        if found is None:
            yield Fact(group=GROUP, name=package, value="not installed", verdict=BROKEN,
                       advice=f"pip install {package}")  # fmt: skip
        else:
            yield Fact(group=GROUP, name=package, value=found)
    there = [extra for extra, packages in EXTRAS.items() if all(map(_version, packages))]
    absent = [extra for extra in EXTRAS if extra not in there]
    said = ", ".join(there) or "none"
    said += f"; without {', '.join(absent)} (pip install 'timegrain[NAME]')" if absent else ""
    yield Fact(group=GROUP, name="extras", value=said)


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None

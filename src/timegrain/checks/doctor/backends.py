"""Which implementation each kernel runs on here and why, and the compiled kernels on disk."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from timegrain.checks.doctor.fact import BROKEN, NOTE, Fact
from timegrain.core.errors import TimegrainError
from timegrain.kernels.switched_off import VARIABLE, switched_off

GROUP = "backends"


def backends() -> Iterator[Fact]:
    """Yield the kernels of the registered layers with the backends that ran, and numba's cache."""
    from timegrain.models import models
    from timegrain.models.card import layer_card

    seen: set[str] = set()
    for entry in models:
        try:
            card = layer_card(entry.name, d_model=8)
        except (TimegrainError, RuntimeError, ImportError, OSError) as error:
            said = (str(error).splitlines() or [type(error).__name__])[0]
            yield Fact(group=GROUP, name=entry.name, value=f"cannot run: {said}", verdict=BROKEN,
                       advice="installing timegrain and its packages again")  # fmt: skip
            continue
        for ran in card.backends:
            if ran.kernel not in seen:
                seen.add(ran.kernel)
                yield Fact(group=GROUP, name=ran.kernel, value=f"{ran.backend}: {ran.reason}")
    yield cache()


def cache() -> Fact:
    """Return where compiled kernels are kept, whether that can be written, and what was loaded."""
    if switched_off():
        return Fact(
            group=GROUP,
            name="cache",
            value=f"{VARIABLE} is set: no kernel is compiled",
            verdict=NOTE,
            advice=f"unset {VARIABLE}, with which layers are slower",
        )
    folders, loaded, compiled = set(), 0, compiled_kernels()
    for dispatcher in _dispatchers():
        stats = dispatcher.stats
        folders.add(Path(stats.cache_path) if stats.cache_path else None)
        loaded += sum(stats.cache_hits.values())
    known = [folder for folder in folders if folder is not None]
    if not known:
        return Fact(group=GROUP, name="cache", value="no kernel has been compiled", verdict=NOTE,
                    advice="pip install numba for kernels that are compiled once")  # fmt: skip
    root = Path(os.path.commonpath(known))
    value = f"{root}: {loaded} kernels loaded, {compiled} compiled before the self-test"
    if all(os.access(folder, os.W_OK) for folder in known if folder.exists()):
        return Fact(group=GROUP, name="cache", value=value)
    return Fact(
        group=GROUP,
        name="cache",
        value=f"{value}; it cannot be written, so every process compiles anew",
        verdict=NOTE,
        advice="NUMBA_CACHE_DIR=a folder of yours",
    )


def compiled_kernels() -> int:
    """Return how many kernels this process has compiled, not loaded, until now."""
    return sum(sum(dispatcher.stats.cache_misses.values()) for dispatcher in _dispatchers())


def _dispatchers() -> Iterator[Any]:
    """Iterate the functions that numba has compiled or loaded in timegrain's own modules."""
    for name, module in list(sys.modules.items()):
        if name.startswith("timegrain.kernels") and name.endswith("numba_"):
            for function in list(vars(module).values()):
                if getattr(function, "signatures", None) and hasattr(function, "stats"):
                    yield function

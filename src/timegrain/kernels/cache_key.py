"""A complete key for numba's cache on disk."""

import hashlib
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np


@cache
def sources(*modules: ModuleType) -> np.ndarray:
    """Return an array whose dtype names a digest of the source of `modules`.

    Numba's cache looks at the file of the compiled function only: a kernel made from functions in
    other files would survive a change in them. A kernel that takes this array as an argument does
    not, because the types of arguments are part of the key.

    Args:
        modules: What the kernel is made from. A package stands for all files in its folder.
    """
    digest = hashlib.sha256()
    for module in modules:
        file = Path(str(module.__file__))
        package = sorted(file.parent.rglob("*.py")) if hasattr(module, "__path__") else [file]
        for path in package:
            digest.update(path.read_bytes())
    return np.zeros(1, np.dtype([(f"h{digest.hexdigest()[:16]}", np.uint8)]))

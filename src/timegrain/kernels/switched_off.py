"""Whether numba is told to compile nothing."""

import os
import sys

VARIABLE = "NUMBA_DISABLE_JIT"


def switched_off() -> bool:
    """Say whether `NUMBA_DISABLE_JIT` is set: compiled loops would run as plain Python.

    They would take minutes, and those that name single instructions cannot run at all. Once numba
    is loaded its own setting counts, which it read from the variable.

    Example:
        >>> switched_off()
        False
    """
    config = sys.modules.get("numba.core.config")
    said = getattr(config, "DISABLE_JIT", None)
    return os.environ.get(VARIABLE, "0") not in ("", "0") if said is None else bool(said)

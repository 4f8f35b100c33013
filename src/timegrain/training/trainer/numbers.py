"""Numbers of Python, numpy and torch as options."""

import numbers
from typing import TypeGuard

import numpy as np


def plain_number(value: object) -> object:
    """Return a real number of numpy, or a tensor of one, as one of Python; all else as it is.

    Args:
        value: Of an option.

    Example:
        >>> import numpy as np
        >>> plain_number(np.float32(0.5)), plain_number("a")
        (0.5, 'a')
    """
    if getattr(value, "ndim", None) == 0 and callable(item := getattr(value, "item", None)):
        value = item()
    if isinstance(value, np.generic):
        value = value.item()
    return float(value) if isinstance(value, numbers.Real) and _is_foreign(value) else value


def _is_foreign(value: object) -> bool:
    return not isinstance(value, bool | int | float)


def is_number(value: object) -> TypeGuard[float]:
    """Return whether something is a whole or real number; True and False are none.

    Args:
        value: Of an option.

    Example:
        >>> is_number(2), is_number(float("inf")), is_number(True), is_number("2")
        (True, True, False, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool)

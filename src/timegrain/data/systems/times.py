"""Instants as exact fractions, so that the same instant of two grids is one number."""

import math
from fractions import Fraction

from timegrain.core.errors import ConfigError

# a step that people mean, such as 1/300, is the nearest fraction with a smaller denominator
_DENOMINATOR = 10**9


def sample_times(dt: float, n: int) -> tuple[Fraction, ...]:
    """Return the instants `0, dt, ..., (n - 1) dt`.

    Args:
        dt: Step, > 0.
        n: Instants, >= 1.

    Raises:
        ConfigError: If there is no such grid.

    Example:
        >>> coarse, fine = sample_times(0.01, 3), sample_times(0.01 / 3, 7)
        >>> coarse == fine[::3]
        True
    """
    step = exact_time(dt)
    if not step > 0 or n < 1:
        raise ConfigError(
            "no such grid", got=f"dt={dt}, {n} samples", expected="dt > 0 and one sample or more"
        )
    return tuple(k * step for k in range(n))


def exact_time(value: float) -> Fraction:
    """Return the fraction that a decimal stands for.

    Args:
        value: Finite.

    Raises:
        ConfigError: If it is not.

    Example:
        >>> exact_time(0.01), exact_time(0.01 / 3)
        (Fraction(1, 100), Fraction(1, 300))
    """
    if not math.isfinite(value):
        raise ConfigError("no such time", got=value, expected="a finite number")
    return Fraction(value).limit_denominator(_DENOMINATOR)

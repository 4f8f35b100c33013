"""A step written as a rate."""

import math

from timegrain.core.table import number
from timegrain.data.units import SECONDS, duration_text

SLOW = 0.1
"""Below so many Hz a rate is said by the time between two."""

_PREFIXES = ((1e9, "GHz"), (1e6, "MHz"), (1e3, "kHz"))
_LONG = ("d", "h", "min")


def rate_text(step: float, unit: str) -> str:
    """Return `12.5 Hz`, or `one sample each 8 h` below a tenth of a hertz; empty without a time.

    Args:
        step: Time between samples, positive.
        unit: Its unit.

    Example:
        >>> rate_text(0.08, "s"), rate_text(8.0, "h"), rate_text(28_800.0, "s")
        ('12.5 Hz', 'one sample each 8 h', 'one sample each 8 h')
        >>> rate_text(4.0, "ns"), rate_text(8.0, "pixel")
        ('250 MHz', '')
    """
    if unit not in SECONDS:
        return ""
    seconds = step * SECONDS[unit]
    hertz = 1 / seconds if seconds > 0 else math.inf
    if not (0 < hertz < math.inf and seconds < math.inf):
        return ""  # outside float64; the step itself is printed
    if unit in _LONG or hertz < SLOW:
        return f"one sample each {duration_text(step, unit)}"
    factor, name = next(((f, n) for f, n in _PREFIXES if hertz >= f), (1.0, "Hz"))
    return f"{number(_tidy(hertz / factor))} {name}"


def _tidy(value: float) -> float:
    """Take off what the division rounded, so that 45.0000001 is 45."""
    return float(f"{value:.9g}")

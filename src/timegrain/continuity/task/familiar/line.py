"""The familiar words as one line of a summary."""

from typing import TYPE_CHECKING

from timegrain.continuity.task.rate import SLOW
from timegrain.core.table import number
from timegrain.data.units import SECONDS, duration_text

if TYPE_CHECKING:
    from timegrain.continuity.task.result import TaskContinuity

_PREFIXES = ((1e9, "GHz"), (1e6, "MHz"), (1e3, "kHz"))


def familiar_line(result: "TaskContinuity") -> str:
    """Return the autocorrelation and the spectrum, or why there is none."""
    lag = result.autocorrelation
    first = f"- ({result.reasons.get('autocorrelation', 'not measured')})"
    if lag is not None:
        first = f"lag-1 correlation {_share(lag)}"
    if result.spectral_edge is None:
        why = result.reasons.get("spectral_edge", "not measured")
        return first if lag is None else f"{first}; no spectrum: {why}"
    edge = frequency_text(result.spectral_edge, result.unit)
    return f"{first}; 95 % below {edge}; entropy {number(result.spectral_entropy, 2)}"


def frequency_text(frequency: float, unit: str) -> str:
    """Return a spectral edge with its unit.

    Args:
        frequency: In Hz for a known unit of time, else in cycles a unit.
        unit: Time unit.

    Example:
        >>> frequency_text(1234.0, "ms"), frequency_text(0.00003, "d"), frequency_text(0.1, "pixel")
        ('1.23 kHz', '1 per 9.26 h', '0.1/pixel')
    """
    if unit not in SECONDS:
        return f"{number(frequency)}/{unit}"
    if 0 < frequency < SLOW:
        return f"1 per {duration_text(1 / frequency, 's')}"
    factor, name = next((p for p in _PREFIXES if frequency >= p[0]), (1.0, "Hz"))
    return f"{number(frequency / factor)} {name}"


def _share(value: float) -> str:
    """Enough digits to tell it from 1."""
    gap = abs(1 - value)
    return f"{value:.5f}" if gap < 1e-3 else f"{value:.3f}"

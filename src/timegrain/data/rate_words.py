"""What a change of rate bridged and what it lost, in sentences."""

from collections.abc import Sequence

import numpy as np

from timegrain.core.table import number
from timegrain.data.audit.words import duration
from timegrain.resample.bridge import WIDEST, Bridged

# of all values: from here on a reader sees the loss first
MUCH = 0.1


def share(part: int, total: int) -> str:
    """Return a share in percent.

    Example:
        >>> share(1, 3)
        '33 %'
    """
    return f"{number(100 * part / total, 2)} %"


def bridged_note(found: Sequence[Bridged], total: int, hz: float) -> str:
    """Return how many gaps were bridged and what that means; nothing where none was.

    Args:
        found: One a sequence with gaps.
        total: Recorded values, missing ones included.
        hz: The new rate.
    """
    gaps = np.concatenate([f.bridged for f in found]) if found else np.empty(0)
    if not len(gaps):
        return ""
    filled = sum(f.filled for f in found)
    return (
        f"{len(gaps):,} gap{'s' * (len(gaps) > 1)} of up to {duration(gaps.max(), 's')} between "
        f"two samples ({filled:,} recorded values missing, {share(filled, total)}) bridged before "
        f"the filter: a sine of {hz / 4:.4g} Hz is off by 5 % of its amplitude at most there, "
        "faster content by more; longer gaps stay open"
    )


def lost_note(
    lost: int, total: int, *, hz: float, needed: float, rates: Sequence[float], left: np.ndarray
) -> str:
    """Return what parts too short for the filter cost, and what to try.

    Args:
        lost: Values.
        total: Values at the new rate.
        hz: The new rate.
        needed: Length of a part in seconds that the filter needs.
        rates: Recorded ones.
        left: Lengths of the gaps that were not bridged, in seconds.
    """
    note = (
        f"{share(lost, total)} of the values at {hz:g} Hz are left empty because the part between "
        f"two gaps is shorter than the filter needs, {duration(needed, 's')}"
    )
    tries = []
    lower = _down(WIDEST["cubic"] / float(np.median(left))) if len(left) else 0.0
    if hz / 4 <= lower < hz:
        tries.append(
            f"common_hz={lower:g} or less, where gaps of {duration(float(np.median(left)), 's')} "
            "are bridged"
        )
    if max(rates) - min(rates) <= 0.05 * min(rates):
        tries.append(f"common_hz={_near(float(np.median(rates))):g}, where nothing is filtered")
    if lost <= MUCH * total or not tries:
        return note
    return f"{note}; try {', or '.join(tries)}"


def _down(x: float) -> float:
    unit = 10.0 ** (np.floor(np.log10(x)) - 1)
    return float(f"{np.floor(x / unit + 1e-9) * unit:.6g}")


def _near(x: float) -> float:
    return float(f"{x:.3g}") if abs(float(f"{x:.3g}") / x - 1) < 1e-3 else float(f"{x:.6g}")

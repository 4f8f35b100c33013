"""The lines of a summary that are about the horizon."""

from typing import TYPE_CHECKING

from timegrain.continuity.task.rate import rate_text
from timegrain.core.outcome import Outcome
from timegrain.core.table import number
from timegrain.data.units import duration_text, plural

if TYPE_CHECKING:
    from timegrain.continuity.task.result import ChannelContinuity, TaskContinuity

_LISTED = 6


def horizon_text(horizon: int, is_open: bool) -> str:
    """Return `64`, or `>=64` when every listed stride passes.

    Example:
        >>> horizon_text(64, True)
        '>=64'
    """
    return f">={horizon}" if is_open else str(horizon)


def horizon_line(r: "TaskContinuity") -> str:
    """Return the horizon in samples, time and rate, with the D that set it.

    Args:
        r: A result with a channel that varies.
    """
    worst = next(c for c in r.channels if c.name == r.worst_channel)
    of = f" of {_called(worst)}" if len(r.channels) > 1 else ""
    if worst.continuity is None:
        return f"1 sample; {_called(worst)} has no three neighbouring samples"
    if r.horizon == 1:
        return f"1 sample; {_failure(r, worst)}"
    d = _own(r, worst.name, r.horizon)
    text = (
        f"{_extent(r)}: D({r.horizon}){of} = {number(d, 2)}, within {number(r.tolerance)} of its "
        "noise share (shuffled data: 1)"
    )
    if r.redrawn_error is None:
        return text
    miss = number(100 * r.redrawn_error, 2)
    return f"{text}; redrawn samples miss by {miss} % of the variance, mean square"


def horizons_line(r: "TaskContinuity") -> str:
    """Return the channels' horizons, the shortest first."""
    moving = [c for c in r.channels if c.outcome is not Outcome.CONSTANT]
    ranked = sorted(moving, key=lambda c: (c.horizon, c.horizon_open, c.continuity or 0.0))
    cells = [f"{_called(c)}: {horizon_text(c.horizon, c.horizon_open)}" for c in ranked[:_LISTED]]
    more = f" and {len(ranked) - _LISTED} more" if len(ranked) > _LISTED else ""
    return ", ".join(cells) + more


def _extent(r: "TaskContinuity") -> str:
    text = f"{horizon_text(r.horizon, r.horizon_open)} {plural('sample', r.horizon)}"
    if r.unit == "sample":
        return text
    sign = ">=" if r.horizon_open else ""
    text += f", {sign}{duration_text(r.horizon_time, r.unit)}"
    rate = rate_text(r.horizon_time, r.unit)
    if not rate:
        return text
    least = ""
    if r.horizon_open:
        least = " or less" if rate.endswith("Hz") else " or less often"
    about = " on average" if r.provenance.parameters.get("irregular") else ""
    return f"{text} ({rate}{least}{about})"


def _failure(r: "TaskContinuity", worst: "ChannelContinuity") -> str:
    d, nugget = 1 - (worst.continuity or 0.0), worst.nugget or 0.0
    limit = nugget + r.tolerance * (1 - nugget)
    name = f"{_called(worst)} at stride 2:" if len(r.channels) > 1 else "at stride 2"
    digits = next((n for n in range(2, 9) if number(d, n) != number(limit, n)), 9)
    why = f"{number(r.tolerance)} above its noise share; " if nugget else ""
    return f"{name} D = {number(d, digits)} > {number(limit, digits)} ({why}shuffled data: 1)"


def _called(channel: "ChannelContinuity") -> str:
    return f"channel {channel.name}" if channel.name.isdigit() else channel.name


def _own(r: "TaskContinuity", channel: str, stride: int) -> float | None:
    rows = (p.discontinuity for p in r.profile if p.channel == channel and p.stride == stride)
    return next(rows, None)

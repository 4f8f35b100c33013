"""What was done about each finding, in sentences."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from timegrain.data.audit.gaps import Gaps
from timegrain.data.audit.order import Order
from timegrain.data.audit.steps import Steps
from timegrain.data.units import SECONDS, duration_text

if TYPE_CHECKING:
    from timegrain.data.audit.recording import Clock

HOUR = 3600.0
RESAMPLED = "put on a uniform grid of"
SUMMER_TIME = (
    "local times that fall back by exactly one hour are the end of daylight saving: write them "
    "with their zone, such as 2024-10-27T02:30+01:00"
)


_SPECIAL = ("the rows came latest first", "midnight", "alone between two steps back")


def is_special(action: str) -> bool:
    """Whether an action is about something that no number of the audit counts."""
    return any(part in action for part in _SPECIAL)


def actions(
    *,
    order: Order,
    lost: int,
    lonely: int,
    gaps: Gaps,
    steps: Steps,
    clock: "Clock",
    n_rows: int,
    alone: bool,
) -> Iterator[str]:
    """Yield a sentence on each finding.

    Args:
        order: Steps back.
        lost: Rows that were averaged into another one.
        lonely: Stretches of a single sample.
        gaps: All gaps.
        steps: Statistics.
        clock: What wrote the times.
        n_rows: In the file.
        alone: No column tells recordings apart.
    """
    yield from zones(clock.offsets)
    if order.midnights:
        yield f"{_count(order.midnights, 'midnight')} passed: a day was added after each"
    if order.reversed:
        yield "the rows came latest first and were turned around"
    if len(order.cuts):
        yield _resets(order, clock, steps, alone)
    if lonely:
        yield f"{_count(lonely, 'row')} alone between two steps back had to be left out"
    if lost:
        yield _duplicates(lost, n_rows, clock, steps)
    if gaps.number:
        yield _gaps(gaps)


def zones(offsets: tuple[str, ...]) -> Iterator[str]:
    """Yield what was done about offsets from UTC; nothing where none is written.

    Args:
        offsets: In the order in which they change.
    """
    if len(offsets) == 1:
        yield f"times were converted to UTC from {offsets[0]}"
    elif offsets:
        shown = " to ".join(offsets[:3]) + (" to ..." if len(offsets) > 3 else "")
        yield f"times were converted to UTC; their offset changes from {shown}"


def _resets(order: Order, clock: "Clock", steps: Steps, alone: bool) -> str:
    number = len(order.cuts)
    first = f"after row {int(order.cuts[0]):,} by {duration(float(order.backs[0]), clock.unit)}"
    text = (
        f"the clock goes back {f'{number:,} times, first' if number > 1 else 'once,'} {first}: "
        f"cut there into {number + 1} parts"
    )
    if clock.local and _fell_back(order.backs, clock, steps):
        return f"{text}; {SUMMER_TIME}"
    if alone:
        return f"{text}; if these are several recordings, name the column that says which: id=..."
    return text


def _fell_back(backs: np.ndarray, clock: "Clock", steps: Steps) -> bool:
    hour = HOUR / SECONDS.get(clock.unit, np.nan)
    exact = np.abs(backs - hour) <= 1e-6 * hour
    return bool((exact | (np.abs(backs + steps.median - hour) <= 0.25 * steps.median)).any())


def _duplicates(lost: int, n_rows: int, clock: "Clock", steps: Steps) -> str:
    text = f"{_count(lost, 'row')} with the time of the row before averaged with it"
    hour = HOUR / SECONDS.get(clock.unit, np.nan)
    if clock.local and abs(steps.median - hour) <= 1e-6 * hour:
        return f"{text}; {SUMMER_TIME}"
    if lost > 0.1 * n_rows:
        return f"{text}; so many may mean that the times are written with too few digits"
    return text


def _gaps(gaps: Gaps) -> str:
    text = f"{_count(gaps.number, 'gap')} left open: {_count(gaps.put_in, 'empty row')} stand in "
    text += "it" if gaps.number == 1 else "them"
    if gaps.put_in < gaps.rows:
        text += f" for {gaps.rows:,} missing ones, which shortens the time of the longest"
    return f"{text}, and no line is drawn across"


def duration(amount: float, unit: str) -> str:
    """Return an amount of time in a unit in which it is easy to read.

    Example:
        >>> duration(7260.0, "s"), duration(0.0125, "s"), duration(3.0, "sample")
        ('2.02 h', '12.5 ms', '3 samples')
    """
    return duration_text(amount, unit, shorter=True)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"

"""Where the clock of a recording goes back."""

from dataclasses import dataclass

import numpy as np

from timegrain.core.errors import DataError

SHARE_RESETS = 0.1
DAY = 86400.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Order:
    """Stretches of a recording between steps back.

    Args:
        times: As they stand, or turned around.
        reversed: The rows came latest first and are to be turned around.
        cuts: First row of every stretch after the first one.
        backs: How far the clock goes back at each cut, positive.
        midnights: Steps back that were midnights, in times of day.
    """

    times: np.ndarray
    reversed: bool
    cuts: np.ndarray
    backs: np.ndarray
    midnights: int = 0


def find_order(times: np.ndarray, where: str, *, day: float | None = None) -> Order:
    """Return where a recording has to be cut so that time increases.

    Args:
        times: Instants as they stand in the file, `(time,)`.
        where: File and recording, for errors.
        day: A day in the unit of `times` where they are times of day, which start again at
            midnight.

    Raises:
        DataError: If a time is missing, or a tenth of the steps go back.

    Example:
        >>> find_order(np.array([5.0, 6.0, 1.0, 2.0]), "log").cuts.tolist()
        [2]
    """
    unknown = np.flatnonzero(~np.isfinite(times))
    if unknown.size:
        raise DataError(f"{where}: a time is missing", got=f"row {int(unknown[0])} of its rows")
    steps = np.diff(times)
    midnights = 0
    if day is not None:
        passed = steps < -day / 2
        midnights = int(passed.sum())
        if midnights:
            times = times + day * np.concatenate([[0], np.cumsum(passed)])
            steps = np.diff(times)
    back = np.flatnonzero(steps < 0)
    if len(back) == 0:
        none = np.empty(0, dtype=np.int64)
        return Order(times=times, reversed=False, cuts=none, backs=steps[:0], midnights=midnights)
    if not (steps > 0).any():
        return Order(
            times=times[::-1],
            reversed=True,
            cuts=np.empty(0, dtype=np.int64),
            backs=np.empty(0),
            midnights=midnights,
        )
    if len(back) > max(1.0, SHARE_RESETS * len(steps)):
        raise DataError(
            f"{where}: the rows are not in the order of their times",
            got=f"{len(back):,} of {len(steps):,} steps go back, the first after "
            f"{times[back[0]]:.15g} to {times[back[0] + 1]:.15g}",
            expected="times that increase, but for a clock that was reset now and then",
            hint="id= with the column that tells recordings apart, or sorting the rows by time",
        )
    return Order(
        times=times, reversed=False, cuts=back + 1, backs=-steps[back], midnights=midnights
    )

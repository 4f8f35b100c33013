"""Which scored cases are independent: those of one group or recording are drawn together."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Int64

from timegrain.core.errors import DataError
from timegrain.data.task import Task
from timegrain.training.wording import count


@dataclass(frozen=True, kw_only=True)
class ScoredOver:
    """What the interval of a score is over.

    Args:
        unit: What is independent: `"sequence"`, `"group"`, `"recording"`, or `"stretch"` of one
            recording.
        n_units: How many of them were scored.
        case: What one answer is about: `"sequence"` or `"window"`.
        n_cases: How many were scored.

    Example:
        >>> ScoredOver(unit="group", n_units=4, case="window", n_cases=236).describe()
        'over 4 groups (236 windows)'
    """

    unit: str
    n_units: int
    case: str
    n_cases: int

    @property
    def grouped(self) -> bool:
        """Whether cases belong together."""
        return self.unit != "sequence"

    def describe(self) -> str:
        """Return both numbers in words."""
        if not self.grouped:
            return count(self.n_cases, f"test {self.case}")
        units = count(self.n_units, self.unit, "stretches" if self.unit == "stretch" else None)
        time = " of time" if self.unit == "stretch" else ""
        return f"over {units}{time} ({count(self.n_cases, self.case)})"

    @property
    def why_none(self) -> str:
        """Why there is no interval where there are fewer than two units."""
        if not self.grouped:
            return "one test sequence says nothing of the spread"
        if self.unit == "stretch":
            return "the tested end of the recording is shorter than two windows"
        return f"all that was tested is of one {self.unit}"


def tested_text(n: int, over: ScoredOver | None) -> str:
    """Return what was scored, in words.

    Args:
        n: Sequences.
        over: What an interval is over; None in files that did not say.
    """
    return count(n, "test sequence") if over is None else over.describe()


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreUnits:
    """The unit of each scored case.

    Args:
        of: Number of each case's unit, from 0 without gaps; None where each stands for itself.
        over: Their numbers.
    """

    of: Int64[np.ndarray, " case"] | None
    over: ScoredOver


def score_units(task: Task, part: Literal["train", "test"] = "test") -> ScoreUnits:
    """Return what may be drawn anew by itself in a part of a task.

    Sequences of one group, or windows of one recording, are more alike than those of different
    ones, and so are overlapping windows: they count as one. Where there is one recording, stretches
    of time that exceed a window count. Else every sequence stands for itself.

    Args:
        task: The task; its dataset says what belongs together, as for a split.
        part: Which part.

    Raises:
        DataError: If the part does not say which sequences it holds.
    """
    from timegrain.data.together import numbered, units

    data, chosen = task.dataset, getattr(task, part)
    index = np.asarray(chosen.index)
    if len(index) != len(chosen.x):
        raise DataError(
            "a part of a task does not say which sequences it holds",
            got=f"{len(index)} numbers in index",
            expected=f"one for each of {len(chosen.x)} sequences",
        )
    case = "sequence" if data.starts is None else "window"
    found = units(data)
    if found.way == "time":
        of, unit = _stretches(task, index), "stretch"
    else:
        of, unit = numbered(found.of[index]), found.way
        if len(np.unique(of)) == len(of):
            alone = ScoredOver(unit="sequence", n_units=len(of), case="sequence", n_cases=len(of))
            return ScoreUnits(of=None, over=alone)
    n_units = int(of.max()) + 1
    return ScoreUnits(
        of=of, over=ScoredOver(unit=unit, n_units=n_units, case=case, n_cases=len(of))
    )


def _stretches(task: Task, index: Int64[np.ndarray, " case"]) -> Int64[np.ndarray, " case"]:
    """Return the stretch of time of each window, each longer than a window with its forecast."""
    from timegrain.continuity.retention.intervals import interval_units

    data = task.dataset
    starts = index if data.starts is None else data.starts[index]
    guard = int(data.lengths[index].max()) + task.ahead
    span = int(starts.max() - starts.min())
    if span < 2 * guard or len(index) < 2:
        return np.zeros(len(index), dtype=np.int64)
    rank = np.empty(len(index), dtype=np.int64)
    rank[np.argsort(starts, kind="stable")] = np.arange(len(index))
    return interval_units("time", rank, span=span, guard=guard)

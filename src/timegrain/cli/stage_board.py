"""A training as a table with one row a stage, for a terminal."""

import time
from collections.abc import Callable
from itertools import accumulate
from typing import TYPE_CHECKING

from timegrain.core.table import number

if TYPE_CHECKING:
    from rich.table import Table

    from timegrain.study.progress import ProgressEvent, TrainingMoment
    from timegrain.training.run import EpochRow

_UNKNOWN = "-"


class StageBoard:
    """What is known of a training: its stages, the last epoch of each, and what is left.

    Args:
        title: Above the table.
        moment: Its start.
        clock: Seconds that pass.
    """

    def __init__(
        self,
        title: str,
        moment: "TrainingMoment",
        *,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.title, self._moment, self._clock = title, moment, clock
        self._last: dict[int, EpochRow] = {}
        self._spent = [0.0] * len(moment.stages)
        self._seen = clock()
        self._ends: list[float] = []
        self._over = False
        self._before = ""  # what is done before the first epoch

    def see(self, event: "ProgressEvent") -> None:
        """Take in an epoch that has just ended."""
        moment = event.training
        if moment is None or moment.row is None:
            self._before, self._seen = event.detail, self._clock()
            return
        self._before = ""
        now, row = self._clock(), moment.row
        wall, self._seen = now - self._seen, now
        before = max(self._last.values(), key=lambda r: r.epoch, default=None)
        trained = min(wall, row.seconds - (before.seconds if before is not None else 0.0))
        stage = self._stage(row.epoch)
        self._last[stage] = row
        self._spent[stage] += wall
        self._ends = self._expected(row, trained, wall - trained, event.seconds_left)

    def finish(self, *, cut: str = "") -> None:
        """Stop the clock: no further epoch comes.

        Args:
            cut: Why, where some should have come: `interrupted` or `failed`.
        """
        self._over = True
        if cut:
            self._before = cut

    def __rich__(self) -> "Table":
        from rich import box
        from rich.table import Table
        from rich.text import Text

        title = Text(self.title)  # a name with brackets is no markup
        table = Table(title=title, title_style="", title_justify="left", box=box.SIMPLE_HEAD)
        names = ("stage", "stride", "tau", "epoch", "loss", self._moment.metric, "time", "ETA")
        for name in names:
            table.add_column(name, justify="right", no_wrap=True)
        for i in range(len(self._moment.stages)):
            table.add_row(*self._cells(i), style="bold" if i == self._now else None)
        if self._before:
            table.caption, table.caption_justify = Text(self._before), "left"
        return table

    @property
    def _now(self) -> int | None:
        """The stage under way; None when the training is over."""
        done = max((row.epoch for row in self._last.values()), default=0)
        is_over = self._over or done == sum(s.epochs for s in self._moment.stages)
        return None if is_over else self._stage(done + 1)

    def _stage(self, epoch: int) -> int:
        """Return the stage that an epoch, 1 for the first, belongs to."""
        ends = accumulate(stage.epochs for stage in self._moment.stages)
        return next(i for i, end in enumerate(ends) if epoch <= end)

    def _expected(
        self, row: "EpochRow", trained: float, evaluated: float, left: float | None
    ) -> list[float]:
        """Return the seconds until each stage ends, after the last epoch that was seen.

        An epoch costs about as many samples as it sees, and each ends in an evaluation.
        """
        if left is None:
            return []
        done, costs = row.epoch, []
        for stage in self._moment.stages:
            ahead = max(stage.epochs - done, 0)
            done = max(done - stage.epochs, 0)
            costs.append(ahead * (trained * row.stride / stage.stride + evaluated))
        total = sum(costs)
        return [left * cost / total if total else 0.0 for cost in accumulate(costs)]

    def _cells(self, i: int) -> tuple[str, ...]:
        stage, row = self._moment.stages[i], self._last.get(i)
        begun = sum(s.epochs for s in self._moment.stages[:i])
        done = 0 if row is None else row.epoch - begun
        passed = self._clock() - self._seen
        # a training that was resumed tells nothing of the stages that it had behind it: "before"
        spent = self._spent[i] + (passed if i == self._now else 0.0)
        if self._now is None or i < self._now or done == stage.epochs:
            arrival = ""
        else:
            arrival = clock_text(max(self._ends[i] - passed, 0.0)) if self._ends else _UNKNOWN
        return (
            str(i + 1),
            str(stage.stride),
            number(self._moment.taus[i]),
            "before" if i < min(self._last, default=0) else f"{done}/{stage.epochs}",
            _UNKNOWN if row is None else f"{row.train_loss:.3f}",
            _UNKNOWN if row is None else f"{row.score:.3f}",
            clock_text(spent) if spent else _UNKNOWN,
            arrival,
        )


def clock_text(seconds: float) -> str:
    """Return seconds as minutes or hours.

    Args:
        seconds: How many, >= 0.

    Example:
        >>> clock_text(75.4), clock_text(3700)
        ('1:15', '1:01:40')
    """
    whole = round(seconds)
    hours, minutes = divmod(whole // 60, 60)
    if hours:
        return f"{hours}:{minutes:02d}:{whole % 60:02d}"
    return f"{minutes}:{whole % 60:02d}"

"""What to sample at, for a label: the sweep, the choice, and what cannot be told."""

from dataclasses import dataclass
from typing import ClassVar

from timegrain.core.references import PROBE
from timegrain.core.result import Result


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A score at one stride, and the share of the skill at stride 1 that it keeps.

    Args:
        score: Cross-validated score.
        low: Lower end of its 95 % interval.
        high: Upper end.
        skill: How far the score is from the trivial one towards the perfect one.
        retention: Skill over skill at stride 1; None where that is too small to divide by.
        retention_low: Lower end of its 95 % interval.
        retention_high: Upper end.
    """

    score: float
    low: float | None
    high: float | None
    skill: float
    retention: float | None
    retention_low: float | None
    retention_high: float | None


@dataclass(frozen=True, kw_only=True)
class SweepRow:
    """One window at one stride.

    Args:
        window: Samples a case at stride 1; None for whole sequences.
        stride: Every so many-th sample is kept.
        dt: Step between kept samples.
        n_cases: Cases of this window that were scored.
        thinned: Samples between are dropped as they are, and fast content folds back.
        filtered: What the new rate cannot show is removed first, as a good converter does; None
            where it could not be measured.
        keeps: Whether the label survives here both ways, as far as they were measured: the
            interval of the retention stays above the limit.
        reason: Why a part of the row is missing.
    """

    window: int | None
    stride: int
    dt: float
    n_cases: int
    thinned: Kept | None
    filtered: Kept | None
    keeps: bool
    reason: str = ""

    @property
    def weaker(self) -> Kept | None:
        """The one of the two that keeps less."""
        known = [k for k in (self.thinned, self.filtered) if k is not None]
        return min(known, key=lambda k: k.skill, default=None)


@dataclass(frozen=True, kw_only=True, repr=False)
class Advice(Result):
    """The lowest rate at which a label is still predicted, and what that rests on.

    Args:
        target: What is predicted.
        target_kind: `"class"` or `"value"`.
        metric: Name of the score.
        trivial_score: Score of the commonest class, or of the mean.
        split: What stays on one side of every fold.
        n_cases: Cases scored, in the chosen window.
        n_groups: Groups they come from.
        dt: Step of the recording.
        unit: Time unit.
        limit: Lower end of the retention's interval from which a stride keeps the label.
        sweep: Every window at every stride.
        window: The chosen window, in samples; None for whole sequences.
        stride: The advised stride; 1 keeps the rate. None where nothing can be advised.
        advised_dt: The step at that stride.
        score: Score at the recorded rate, in the chosen window.
        interval: Its 95 % interval.
        limiting_channel: The channel whose thinning alone to the next stride costs most.
        limiting_loss: What that costs, in units of the score.
        worst_channel: The channel that is hardest to redraw, whatever the label.
        noise_share: Share of the variance that no stride predicts, in the chosen window.
        horizon: Stride to which the curve itself can be redrawn.
        horizon_open: It is at least that.
        event_error: One redrawn sample in a hundred misses by more, as a share of the range.
        cost_share: Estimated cost of training from coarse to fine, full resolution being 1.
        unknown: What these numbers cannot tell.
    """

    kind: ClassVar[str] = "advice"

    target: str | None
    target_kind: str | None
    metric: str | None
    trivial_score: float | None
    split: str | None
    n_cases: int
    n_groups: int
    dt: float
    unit: str
    limit: float
    sweep: tuple[SweepRow, ...]
    window: int | None
    stride: int | None
    advised_dt: float | None
    score: float | None
    interval: tuple[float, float] | None
    limiting_channel: str | None
    limiting_loss: float | None
    worst_channel: str | None
    noise_share: float | None
    horizon: int
    horizon_open: bool
    event_error: float | None
    cost_share: float | None
    unknown: tuple[str, ...]

    def at(self, stride: int) -> SweepRow | None:
        """Return the row of the chosen window at a stride, if it was measured."""
        found = (r for r in self.sweep if (r.window, r.stride) == (self.window, stride))
        return next(found, None)

    @property
    def retention(self) -> float | None:
        """Share of the skill that the advised stride keeps, at least; 1 where the rate stays."""
        if self.stride is None or self.stride == 1:
            return None if self.stride is None else 1.0
        row = self.at(self.stride)
        return None if row is None or row.weaker is None else row.weaker.retention

    @property
    def next_stride(self) -> int | None:
        """The next coarser stride of the sweep, if there is one."""
        if self.stride is None:
            return None
        coarser = [r.stride for r in self.sweep if r.window == self.window]
        return min((k for k in coarser if k > (self.stride or 1)), default=None)

    def rows(self) -> list[dict[str, object]]:
        """Return the sweep as a tidy table: one row a window, stride and way of thinning."""
        return [
            {
                "name": self.name,
                "window": row.window,
                "stride": row.stride,
                "dt": row.dt,
                "n_cases": row.n_cases,
                "filtered": filtered,
                "score": kept.score,
                "low": kept.low,
                "high": kept.high,
                "skill": kept.skill,
                "retention": kept.retention,
                "retention_low": kept.retention_low,
                "retention_high": kept.retention_high,
                "keeps": row.keeps,
            }
            for row in self.sweep
            for filtered, kept in ((False, row.thinned), (True, row.filtered))
            if kept is not None
        ]

    def sources(self) -> tuple[str, ...]:
        """Return the keys of the papers of the probe."""
        return PROBE

    def summary_lines(self) -> list[tuple[str, str]]:
        """Return the lines people read."""
        from timegrain.advice.sampling.summary import summary_lines

        return summary_lines(self)

"""Whether to train on every k-th sample first, with the evidence."""

from dataclasses import dataclass
from typing import ClassVar

from timegrain.continuity.retention.result import RetentionRow
from timegrain.core.references import PAPER, PROBE
from timegrain.core.result import Result
from timegrain.training.plan.plan import SubsamplingPlan

PLAN_NOTE = "plan: "
"""What begins a note of a training that its plan was followed for."""


@dataclass(frozen=True, kw_only=True, repr=False)
class PlanAdvice(Result):
    """A plan, or the advice not to subsample, with what it rests on.

    What a label keeps at a stride decides; the continuity of the curves only says how samples are
    left out and whether the network is told. The probe is no network: one that learns otherwise
    can lose more, or less.

    Args:
        plan: What to train with: stages, or full resolution where subsampling is not advised.
        forced: The plan was asked for, whatever the evidence says.
        cases: `"train"` where only the training part of a task was looked at, else `"all"`.
        n_cases: Labelled cases that the probe saw.
        metric: Of the probe.
        score: The probe's, with all samples.
        trivial_score: Of the commonest class, or of the mean.
        limit: What the lower end of the interval of a label's retention has to reach.
        coarsest: Largest stride at which it does, there and at all smaller ones; 1 if none.
        retention: The probe at every stride.
        dt: Step of the data.
        unit: Its unit.
        continuity: `1 - D(2)`; None where nothing varies.
        horizon: Largest stride from which lines redraw the curves.
        horizon_open: Whether it may be larger.
        rough: Whether the plan's coarsest stride is beyond the horizon.
        decimator: How the plan leaves samples out.
        cost_share: Samples of an epoch of the plan over those of one at full resolution.
        sentences: What is advised and why.
        warnings: What speaks against the plan, forced or advised; empty where nothing does.
    """

    kind: ClassVar[str] = "plan-advice"

    plan: SubsamplingPlan
    forced: bool
    cases: str
    n_cases: int
    metric: str
    score: float
    trivial_score: float
    limit: float
    coarsest: int
    retention: tuple[RetentionRow, ...]
    dt: float
    unit: str
    continuity: float | None
    horizon: int
    horizon_open: bool
    rough: bool
    decimator: str
    cost_share: float
    sentences: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    @property
    def subsample(self) -> bool:
        """Whether the plan leaves samples out."""
        return self.plan.subsamples

    def at(self, stride: int) -> RetentionRow | None:
        """Return the probe's row of a stride, if there is one."""
        return next((row for row in self.retention if row.stride == stride), None)

    def rows(self) -> list[dict[str, object]]:
        """Return one row a stride: what the label keeps, and the plan's share of it."""
        shares = {stage.stride: stage.share for stage in self.plan.stages}
        return [
            {
                "name": self.name,
                "stride": row.stride,
                "dt": row.dt,
                "score": row.score,
                "retention": row.retention,
                "retention_low": row.retention_low,
                "retention_high": row.retention_high,
                "share": shares.get(row.stride, 0.0),
            }
            for row in self.retention
        ]

    def summary_lines(self) -> list[tuple[str, str]]:
        """Return the lines people read."""
        from timegrain.training.plan.summary import summary_lines

        return summary_lines(self)

    def sources(self) -> tuple[str, ...]:
        """Return the keys of the paper and of those of the probe."""
        return (PAPER, *PROBE)

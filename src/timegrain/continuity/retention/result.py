"""The result of `label_retention` and the rows it is made of."""

from dataclasses import dataclass
from typing import ClassVar

from timegrain.core.references import PROBE
from timegrain.core.result import Result

KEEPS = 0.95


@dataclass(frozen=True, kw_only=True)
class RetentionRow:
    """The probe at one stride.

    Args:
        stride: Every `stride`-th sample is kept.
        dt: Step between kept samples.
        n_samples: Median number of samples of a case.
        score: Cross-validated score, the mean over repeats; None where it could not be measured.
        low: Lower end of its 95 % interval.
        high: Upper end.
        skill: `(score - trivial) / (perfect - trivial)`.
        skill_low: Lower end of its 95 % interval.
        skill_high: Upper end.
        retention: Skill over that at stride 1; None where that is too low to divide by.
        retention_low: Lower end of its 95 % interval, both skills drawn from the same cases.
        retention_high: Upper end.
        reason: Why a value is None; empty when none is.
    """

    stride: int
    dt: float
    n_samples: int
    score: float | None = None
    low: float | None = None
    high: float | None = None
    skill: float | None = None
    skill_low: float | None = None
    skill_high: float | None = None
    retention: float | None = None
    retention_low: float | None = None
    retention_high: float | None = None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class BalanceRow:
    """One class.

    Args:
        name: Its name.
        n_cases: Cases of it.
        share: Share of all cases.
    """

    name: str
    n_cases: int
    share: float


@dataclass(frozen=True, kw_only=True, repr=False)
class LabelRetention(Result):
    """What is left of a label's predictability when only every k-th sample is kept.

    The probe, random convolutions and a ridge, is fitted anew at every stride, so this says what
    the samples still hold, not how a network trained at one rate behaves at another. A stronger
    model may keep more, or lose more, than the probe.

    Args:
        metric: Name of the score.
        target_kind: `"class"` or `"value"`.
        n_cases: Cases scored.
        n_groups: What the intervals are made from: groups, recordings, stretches of time or cases.
        split: What stays on one side of every fold: `"group"`, `"recording"`, `"time"` (one
            recording, folds are stretches of it) or `"case"`.
        window: Samples a case; None for whole sequences.
        hop: Samples from one window to the next; None for whole sequences.
        ahead: Samples from a window's last to the one that is forecast; None for no forecast.
        dt: Step of the recording.
        unit: Time unit.
        decimator: `"phase"`: samples are dropped; `"fir"`: recordings are filtered first.
        n_folds: Folds of a repeat.
        repeats: Rounds of folds.
        trivial_score: Score of the commonest class, or of the mean.
        perfect_score: Score of no error.
        score: Score at stride 1: the baseline any model should beat.
        balance: Classes and their shares; empty for values.
        profile: One row a stride, 1 first.
        coarsest: Largest stride whose retention has its interval's lower end at .95 or above,
            there and at all smaller strides; 1 if there is none.
    """

    kind: ClassVar[str] = "label-retention"

    metric: str
    target_kind: str
    n_cases: int
    n_groups: int
    split: str
    window: int | None
    hop: int | None
    ahead: int | None
    dt: float
    unit: str
    decimator: str
    n_folds: int
    repeats: int
    trivial_score: float
    perfect_score: float
    score: float
    balance: tuple[BalanceRow, ...]
    profile: tuple[RetentionRow, ...]
    coarsest: int

    def at(self, stride: int) -> RetentionRow | None:
        """Return the row of a stride, if there is one."""
        return next((row for row in self.profile if row.stride == stride), None)

    def rows(self) -> list[dict[str, object]]:
        """Return one row a stride."""
        names = ("stride", "dt", "n_samples", "score", "low", "high", "skill", "skill_low")
        more = ("skill_high", "retention", "retention_low", "retention_high")
        return [
            {"name": self.name, "metric": self.metric}
            | {field: getattr(row, field) for field in (*names, *more)}
            for row in self.profile
        ]

    def summary_lines(self) -> list[tuple[str, str]]:
        """Return the lines people read."""
        from timegrain.continuity.retention.summary import summary_lines

        return summary_lines(self)

    def sources(self) -> tuple[str, ...]:
        """Return the keys of the papers of the probe."""
        return PROBE

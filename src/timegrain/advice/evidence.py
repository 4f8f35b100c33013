"""The results a verdict is made from, sorted by what they are."""

from collections.abc import Iterable
from dataclasses import dataclass

from timegrain.core.result import Result
from timegrain.training.baseline import BaselineScore
from timegrain.training.rate_transfer import TransferCurve
from timegrain.training.run import TrainingRun

CONTINUOUS, SELECTIVE = "s4d", "s6"


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Results by kind.

    Args:
        continuity: Continuity of each measured dataset, by name; only where it is known.
        runs: Trainings.
        curves: Transfer curves.
        baselines: Baseline scores.
    """

    continuity: dict[str, float]
    runs: tuple[TrainingRun, ...]
    curves: tuple[TransferCurve, ...]
    baselines: tuple[BaselineScore, ...]

    @classmethod
    def of(cls, results: Iterable[Result]) -> "Evidence":
        """Sort results; those of other kinds are left aside."""
        results = tuple(results)
        known = [r for r in results if r.kind == "task-continuity"]
        values = {r.name: getattr(r, "continuity", None) for r in known}
        return cls(
            continuity={name: float(v) for name, v in values.items() if v is not None},
            runs=tuple(r for r in results if isinstance(r, TrainingRun)),
            curves=tuple(r for r in results if isinstance(r, TransferCurve)),
            baselines=tuple(r for r in results if isinstance(r, BaselineScore)),
        )

    def full(self, task: str, layer: str) -> list[TrainingRun]:
        """Return the full-resolution trainings of a layer on a task, by seed."""
        found = [r for r in self.runs if (r.task, r.layer, r.plan) == (task, layer, "full")]
        return sorted(found, key=lambda r: r.seed)

    def compared_tasks(self) -> list[str]:
        """Return tasks on which both layers were trained at full resolution, smoothest first.

        Tasks whose continuity is not known come last.
        """
        tasks = dict.fromkeys(r.task for r in self.runs)
        both = [t for t in tasks if self.full(t, CONTINUOUS) and self.full(t, SELECTIVE)]
        return sorted(both, key=lambda t: -self.continuity.get(t, float("-inf")))


def seeds_text(count: int) -> str:
    """Return `"1 seed"` or `"2 seeds"`."""
    return f"{count} seed" if count == 1 else f"{count} seeds"

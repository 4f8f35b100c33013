"""The result of `remedy` and the rows it is made of."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from timegrain.continuity.model.options import nearest
from timegrain.continuity.model.refined import RefinedModel
from timegrain.core.outcome import Outcome


@dataclass(frozen=True, kw_only=True)
class RemedyRow:
    """What a model, or a module that was changed, does before or after, at the amplitude nearest 1.

    Args:
        stage: `"before"` or `"after"`.
        module: Its name in the model that was passed; empty for the model itself.
        outcome: How its ladder ended.
        order: Median over pairs of the last observed order; None if no pair has one.
        interval: Its 95 % interval; None with fewer than 20 pairs.
        error: On the working grid, relative; of a module `||F_0 - F_J|| / ||F_J||`.
        memory: m_0, on the working grid, in time units; None where it is not seen.
        memory_finest: m_J, on the finest.
        memory_ratio: `m_J / m_0`.
        amplitude_exponent: Slope of log C on log amplitude; None where the law does not hold.
        amplitude_interval: Its 95 % interval, of the model itself; None with fewer than 20 pairs.
    """

    stage: str
    module: str
    outcome: Outcome
    order: float | None
    error: float | None
    memory: float | None
    memory_finest: float | None
    memory_ratio: float | None
    amplitude_exponent: float | None
    interval: tuple[float, float] | None = None
    amplitude_interval: tuple[float, float] | None = None


@dataclass(frozen=True, kw_only=True)
class RemedyError:
    """Median relative error on the working grid at one amplitude; None where there is no limit."""

    amplitude: float
    before: float | None
    after: float | None


@dataclass(frozen=True, kw_only=True, repr=False)
class Remedy(RefinedModel):
    """What a cure does to a model's continuity, and what it does not, by the same measurement.

    `outcome` is that of the cured model. Errors are against the limit of the model measured, which
    a cure may move; `shift` is what it changes at the trained rate, where a model was trained
    without it.

    Args:
        cure: Its name, or several with `+` between.
        does: What each changes, in a clause.
        delta_max: Largest `Delta` that `"clamp"` leaves; None without it.
        changed: Names of the modules that were changed; empty text is the model itself.
        stages: Of the model and the modules changed, before and after.
        errors: On the working grid, by amplitude.
        shift: Relative change of the first pair's output on the working grid, at the amplitude
            nearest 1; 0 for a cure that leaves the model as it is there.
        protocol_before: Whether the model was told its step before the cure, as `protocol` says it
            of the cured one; empty in results of earlier versions.
    """

    kind: ClassVar[str] = "remedy"
    schema_version: ClassVar[int] = 1

    cure: str
    does: tuple[str, ...]
    delta_max: float | None
    changed: tuple[str, ...]
    stages: tuple[RemedyRow, ...]
    errors: tuple[RemedyError, ...]
    shift: float
    protocol_before: str = ""

    def at(self, stage: str, module: str = "") -> RemedyRow:
        """Return a row.

        Args:
            stage: `"before"` or `"after"`.
            module: Name of a module that was changed; empty for the model itself.

        Raises:
            ModelError: If there is no such row.
        """
        from timegrain.core.errors import ModelError

        for row in self.stages:
            if (row.stage, row.module) == (stage, module):
                return row
        known = dict.fromkeys(row.module or "''" for row in self.stages)
        raise ModelError(
            f"there is no row {stage!r} of {module!r}",
            expected=f"before or after of {', '.join(known)}",
        )

    def sources(self) -> tuple[str, ...]:
        """Return the keys of the base's and of the cure's."""
        named = {"dilate": "yu2016multi", "foh": "hochbruck2010exponential"}
        return (*super().sources(), *(named[c] for c in self.cure.split("+") if c in named))

    def rows(self) -> list[dict[str, object]]:
        """Return a row per stage and module; then one per stage and other amplitude, its error."""
        main = self.amplitudes[nearest(self.amplitudes)]
        head = {"name": self.name, "cure": self.cure}
        table = [{**head, "amplitude": main, **_flat(row)} for row in self.stages]
        blank = dict.fromkeys(_flat(self.stages[0]))
        for row in self.errors:
            for stage in ("before", "after"):
                if row.amplitude != main:
                    own = {"stage": stage, "module": "", "error": getattr(row, stage)}
                    table.append({**head, "amplitude": row.amplitude, **blank, **own})
        return table

    def summary_lines(self) -> list[tuple[str, str]]:
        """Return the lines people read."""
        from timegrain.continuity.remedies.summary import summary_lines

        return summary_lines(self)


def _flat(row: RemedyRow) -> dict[str, object]:
    """Return the fields of a row, the ends of its intervals as columns."""
    found = dict(vars(row))
    for field, column in (("interval", "order"), ("amplitude_interval", "amplitude_exponent")):
        ends = found.pop(field) or (None, None)
        found |= {f"{column}_low": ends[0], f"{column}_high": ends[1]}
    return found


class Remedied(NamedTuple):
    """A cured copy of a model, and what the cure does.

    Args:
        model: The copy: a module, or an adapter of one where that was passed. For a registered name
            it is that of the first pair.
        effect: Before and after.
    """

    model: Any
    effect: Remedy

"""The result of `localise` and the rows it is made of."""

from dataclasses import dataclass, replace
from typing import ClassVar

from timegrain.continuity.model.refined import RefinedModel
from timegrain.core.outcome import Outcome


@dataclass(frozen=True, kw_only=True)
class ModuleRow:
    """What one submodule's output does as the grid is refined, at the amplitude nearest 1.

    Args:
        position: In the order in which calls end, from 1: a module comes after all those in it.
        module: Its name in the model; empty for the model itself.
        type: Its class.
        shape: Axes of its output for one sequence, such as `"1 time 64"`.
        outcome: As of a model; pointwise modules are `MEMORYLESS`.
        convergence: How its values end, memory aside.
        order: Median over pairs of the last observed order; None if no pair has one.
        interval: Its 95 % interval; None with fewer than 20 pairs.
        change: Median over pairs of `||F_0 - F_J|| / ||F_J||`, coarsest against finest grid; None
            where the finest is zero.
        memory: m_0 on the working grid, in time units; None where it does not respond to the bump.
        memory_finest: m_J on the finest grid.
        memory_ratio: `m_J / m_0`; None without a memory on the working grid.
        amplitude_exponent: Slope of log C on log amplitude; None for one amplitude, or where the
            law does not hold.
        loses: `"memory"` where that collapses and of none of its inputs does, `"convergence"` where
            it ends without a limit and none of its inputs does; empty otherwise.
    """

    position: int
    module: str
    type: str
    shape: str
    outcome: Outcome
    convergence: Outcome
    order: float | None
    change: float | None
    memory: float | None
    memory_finest: float | None
    memory_ratio: float | None
    amplitude_exponent: float | None
    loses: str
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, kw_only=True)
class SkippedModule:
    """A submodule that could not be followed.

    Args:
        module: Its name in the model; empty for the model itself.
        type: Its class.
        reason: Why.
    """

    module: str
    type: str
    reason: str


@dataclass(frozen=True, kw_only=True, repr=False)
class Localisation(RefinedModel):
    """Where in a model continuity is lost as its time grid is refined.

    The module named is the first, in the order in which calls end, whose output loses its memory or
    its limit though no sequence that it takes does. What a module computes beside its submodules is
    its own. `outcome` is that of the module named; if none loses it, of the last one measured. How
    it was measured stands in the fields of `RefinedModel`.

    Args:
        first: The module named: a name in the model, `"(model)"` for the model itself; None if none
            loses continuity.
        because: Why, in a sentence.
        modules: Those measured, in the order in which their calls end.
        skipped: Those that were not.
        advice: What to do about the module named, where that is more than its outcome says.
    """

    kind: ClassVar[str] = "localisation"
    schema_version: ClassVar[int] = 1

    first: str | None
    because: str
    modules: tuple[ModuleRow, ...]
    skipped: tuple[SkippedModule, ...]
    advice: str = ""

    @property
    def message(self) -> str:
        """What was found, in one clause."""
        if self.first is None:
            return "no module that was measured loses continuity"
        return f"continuity is lost first in {self.first}: {self.outcome.message}"

    def at(self, module: str) -> ModuleRow:
        """Return the row of a module.

        Args:
            module: Its name in the model, `""` for the model itself.

        Raises:
            ModelError: If it was not measured; the text says why.
        """
        from timegrain.core.errors import ModelError

        for row in self.modules:
            if row.module == module:
                return row
        why = next((s.reason for s in self.skipped if s.module == module), None)
        raise ModelError(
            f"{module!r} was not measured",
            got=why or "no such module",
            expected=", ".join(row.module or "''" for row in self.modules),
        )

    def labelled(self, name: str, note: str = "") -> "Localisation":
        """Return this result under another name, headed by a note if there is one."""
        return replace(self, name=name, notes=(note, *self.notes) if note else self.notes)

    def rows(self) -> list[dict[str, object]]:
        """Return one row per module, in the order in which calls end; skipped ones come last."""
        fields = [f for f in ModuleRow.__dataclass_fields__ if f != "interval"]
        blank: dict[str, object] = dict.fromkeys((*fields, "order_low", "order_high"))
        measured = [
            {f: getattr(row, f) for f in fields}
            | dict(zip(("order_low", "order_high"), row.interval or (None, None), strict=True))
            for row in self.modules
        ]
        others = [blank | {"module": s.module, "type": s.type} for s in self.skipped]
        reasons = [None] * len(measured) + [s.reason for s in self.skipped]
        return [
            {"name": self.name, **row, "skipped": why}
            for row, why in zip([*measured, *others], reasons, strict=True)
        ]

    def summary_lines(self) -> list[tuple[str, str]]:
        """Return the lines people read."""
        from timegrain.continuity.localisation.summary import summary_lines

        return summary_lines(self)

"""What a training is to do, from stages or from a plan."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from timegrain.core.errors import ConfigError
from timegrain.models.options import whole
from timegrain.training.plan.plan import SubsamplingPlan
from timegrain.training.plan.shorten import shortened, too_few
from timegrain.training.stages import StageRow, parse_stages, read_stages

if TYPE_CHECKING:
    from timegrain.data.task import Task
    from timegrain.training.plan.advice import PlanAdvice

EPOCHS = 15


@dataclass(frozen=True, kw_only=True)
class Itinerary:
    """A plan with its epochs.

    Args:
        plan: The plan.
        rows: Epochs of each of its stages.
        notes: What a reader of the training has to know of the choice.
    """

    plan: SubsamplingPlan
    rows: tuple[StageRow, ...]
    notes: tuple[str, ...] = ()


def read_plan(
    task: "Task",
    *,
    stages: str | Iterable[StageRow | tuple[int, int]] | None,
    plan: "SubsamplingPlan | PlanAdvice | str | None",
    epochs: int | None,
    seed: int = 0,
) -> Itinerary:
    """Return what a training is to do.

    Args:
        task: What is trained on.
        stages: `(stride, epochs)` pairs or their text; neither plan nor epochs beside them.
        plan: A plan, an advice, or text: `"auto"`, `"none"` or `stride:epochs`.
        epochs: Of the whole training; None takes the sum of a text's, else 15.
        seed: Of what `"auto"` measures.

    Raises:
        ConfigError: If both stages and a plan are given, or one cannot be read.
    """
    if stages is not None:
        if plan is not None or epochs is not None:
            raise ConfigError(
                "stages say themselves how many epochs there are",
                got=f"stages= beside {'plan=' if plan is not None else f'epochs={epochs}'}",
                hint="plan= with epochs=, or stages= alone",
            )
        rows = read_stages(stages)
        return Itinerary(plan=SubsamplingPlan.of((r.stride, r.epochs) for r in rows), rows=rows)
    if epochs is not None:
        whole("epochs", epochs, least=1)
    notes: tuple[str, ...] = ()
    total = EPOCHS if epochs is None else epochs
    if isinstance(plan, str) and plan not in ("auto", "none"):
        total = sum(row.epochs for row in parse_stages(plan)) if epochs is None else epochs
        plan = SubsamplingPlan.parse(plan)
    elif plan == "auto":
        from timegrain.training.plan.recommend import subsampling_plan

        plan = subsampling_plan(task, epochs=total, seed=seed)
    if plan is None or plan == "none":
        plan = SubsamplingPlan.none()
    if not isinstance(plan, SubsamplingPlan):
        plan, notes = _advised(plan, total)
    return Itinerary(plan=plan, rows=plan.epochs(total), notes=notes)


def _advised(advice: object, epochs: int) -> tuple[SubsamplingPlan, tuple[str, ...]]:
    from timegrain.training.plan.advice import PLAN_NOTE, PlanAdvice
    from timegrain.training.plan.summary import headline

    if not isinstance(advice, PlanAdvice):
        raise ConfigError(
            "cannot read the plan",
            got=type(advice).__name__,
            expected="a SubsamplingPlan, what subsampling_plan() returns, 'auto', 'none', or text "
            "such as '8:80,4:60,1:20'",
        )
    plan = advice.plan if advice.forced else shortened(advice.plan, epochs)
    left_out = too_few(len(advice.plan.stages), plan)
    spoken = (headline(advice), *advice.sentences, *left_out, *advice.warnings)
    return plan, tuple(f"{PLAN_NOTE}{text}" for text in spoken)

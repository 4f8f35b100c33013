"""The record of a training."""

from collections.abc import Sequence

from timegrain.core.outcome import Outcome
from timegrain.core.provenance import Provenance
from timegrain.training.feasible import class_notes, coarse_notes
from timegrain.training.plan.plan import SubsamplingPlan
from timegrain.training.remarks import over_notes, trivial_notes, unlearned_notes
from timegrain.training.run import TrainingRun
from timegrain.training.score import Score
from timegrain.training.stages import plan_name
from timegrain.training.trainer.configuration import configuration
from timegrain.training.trainer.material import Material
from timegrain.training.trainer.state import TrainingState
from timegrain.training.units import score_units

MONITORING_NOTE = (
    "The score after each epoch is of the test part, for watching only: nothing is selected by it, "
    "and the final score is that of the last epoch."
)

STOPPING_NOTE = (
    "The score after each epoch is of the test part, for watching only: the weights kept are those "
    "that scored best on what was held out of the training part, and the final score is theirs."
)


def record(
    material: Material, state: TrainingState, score: Score, *, notes: Sequence[str] = ()
) -> TrainingRun:
    """Return the record of a training that has ended.

    Args:
        material: What it worked with.
        state: In what state it ended.
        score: The score of its network.
        notes: What else a reader has to know.
    """
    task, rows, settings = material.task, material.way.rows, material.settings
    config = model_config(material)
    plan = plan_name(rows)
    return TrainingRun(
        name=f"{config['name']} on {task.name}, {plan}, seed {settings.seed}",
        outcome=Outcome.MEASURED,
        provenance=Provenance.collect(seed=settings.seed, parameters=_parameters(material)),
        notes=(*_notes(material, score), *notes),
        reasons=score.reasons,
        model=config,
        task=task.name,
        seed=settings.seed,
        plan=plan,
        stages=rows,
        n_parameters=sum(p.numel() for p in material.model.parameters() if p.requires_grad),
        n_train=len(material.data),
        n_test=score.n,
        batch_size=settings.step_size,
        dt_trained=task.dt / settings.tau,
        unit=task.unit,
        metric=task.metric,
        trivial_score=task.trivial_score,
        score=score.score,
        low=score.low,
        high=score.high,
        over=score.over,
        correct=score.correct,
        unit_of=_unit_of(material, score),
        seconds=state.seconds,
        history=tuple(state.history),
    )


def model_config(material: Material) -> dict[str, object]:
    """Return what says how to build the network, its name at least; see `configuration`.

    Args:
        material: With the network.
    """
    return configuration(material.model)


def _unit_of(material: Material, score: Score) -> str | None:
    if score.correct is None or not score.over.grouped:
        return None
    of = score_units(material.task).of
    return None if of is None else " ".join(map(str, of.tolist()))


def _parameters(material: Material) -> dict[str, object]:
    way = material.way
    parameters: dict[str, object] = {
        "model": model_config(material),
        "task": material.task.name,
        **material.task.dataset.versioned,
        "plan": plan_name(way.rows),
        **material.settings.parameters,
    }
    if way.plan != SubsamplingPlan.of((r.stride, r.epochs) for r in way.rows):
        parameters["subsampling"] = way.plan.state_dict()
    return parameters


def _notes(material: Material, score: Score) -> tuple[str, ...]:
    task, way = material.task, material.way
    return (
        *task.notes,
        *class_notes(task),
        *coarse_notes(task, [row.stride for row in way.rows], part="train"),
        *way.notes,
        MONITORING_NOTE if material.held_out is None else STOPPING_NOTE,
        *over_notes(score.over),
        *(
            trivial_notes(task.metric, score.score, task.trivial_score)
            or unlearned_notes(task.metric, score.low, score.high, task.trivial_score)
        ),
    )

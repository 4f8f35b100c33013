"""Measure the study `paper-refinement`."""

from dataclasses import fields, replace
from typing import TYPE_CHECKING

from timegrain.core.outcome import Outcome
from timegrain.core.provenance import Provenance
from timegrain.study.presets.paper_refinement.result import (
    PaperRefinement,
    RefinementCell,
    WatchedSystem,
)
from timegrain.study.presets.paper_refinement.settings import PaperRefinementSettings
from timegrain.study.presets.paper_refinement.storage import keep_losses, read_losses
from timegrain.study.presets.paper_refinement.tabulate import refinement_cells
from timegrain.study.presets.paper_refinement.trajectories import (
    STEPS,
    SYSTEMS,
    Trajectories,
    trajectories,
)
from timegrain.study.presets.paper_refinement.unit import Losses, Unit, carry_out
from timegrain.study.progress import Progress, ProgressEvent, ignore

if TYPE_CHECKING:
    from timegrain.training.run import EpochRow

ONE_SEED_NOTE = (
    "One network of each kind: the intervals are for other trajectories, not for other networks."
)


def measure(settings: PaperRefinementSettings, progress: Progress = ignore) -> PaperRefinement:
    """Return the scores of networks that were trained at tau 1, on finer and coarser grids.

    Args:
        settings: What is measured, and where trainings that are done are kept.
        progress: Called at the start of each training and after each epoch.

    Raises:
        UnknownNameError: If there is no such model.
        ModelError: If a training diverges.
        ResultError: If the folder cannot be written.
    """
    from timegrain.models.build import build_model

    units = [
        Unit(task=task, model=model, seed=seed)
        for task in settings.tasks
        for model in settings.models
        for seed in settings.network_seeds
    ]
    for model in settings.models:
        build_model(model, d_input=1, d_output=1, d_model=settings.d_model, n_layers=1, seed=0)
    found: dict[Unit, Losses] = {}
    seen: dict[str, Trajectories] = {}
    for step, unit in enumerate(units, start=1):
        event = ProgressEvent(
            step=step,
            steps=len(units),
            label=f"{unit.model} on {unit.task}, seed {unit.seed}",
        )
        progress(event)
        losses = read_losses(unit, settings)
        if losses is None:
            if unit.task not in seen:
                seen = {unit.task: trajectories(unit.task, settings)}  # the last one's alone
            losses = _trained(unit, seen[unit.task], settings, event, progress)
            keep_losses(unit, settings, losses)
        found[unit] = losses
    return _result(settings, found)


def _trained(
    unit: Unit,
    seen: Trajectories,
    settings: PaperRefinementSettings,
    event: ProgressEvent,
    progress: Progress,
) -> Losses:
    def tell(row: "EpochRow", left: float) -> None:
        detail = f"epoch {row.epoch} of {settings.epochs}: r2 {row.score:.2f}"
        progress(replace(event, detail=detail, seconds_left=left))

    return carry_out(unit, seen, settings, tell)


def _result(settings: PaperRefinementSettings, found: dict[Unit, Losses]) -> PaperRefinement:
    cells: list[RefinementCell] = []
    systems = []
    for task in settings.tasks:
        of_task = {unit: losses for unit, losses in found.items() if unit.task == task}
        for model in settings.models:
            kind = [losses for unit, losses in of_task.items() if unit.model == model]
            cells += refinement_cells(task, model, kind, settings.taus)
        system = SYSTEMS[task]
        systems.append(
            WatchedSystem(
                name=task,
                title=system.title,
                answers=tuple(p.name for p in system.parameters),
                rough=system.rough,
                dt=STEPS[task],
                trivial_score=next(iter(of_task.values())).trivial,
            )
        )
    parameters = {
        field.name: getattr(settings, field.name)
        for field in fields(settings)
        if field.name not in ("folder", "seed")
    }
    return PaperRefinement(
        name=f"{', '.join(settings.models)} on {len(settings.tasks)} systems",
        outcome=Outcome.MEASURED,
        provenance=Provenance.collect(seed=settings.seed, parameters=parameters),
        notes=(ONE_SEED_NOTE,) if settings.seeds == 1 else (),
        metric="r2",
        length=settings.length,
        n_train=settings.trajectories,
        n_test=settings.tested,
        epochs=settings.epochs,
        noise=settings.noise,
        seeds=settings.network_seeds,
        systems=tuple(systems),
        scores=tuple(cells),
        seconds=sum(losses.seconds for losses in found.values()),
    )

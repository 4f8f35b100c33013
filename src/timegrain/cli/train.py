"""`timegrain train`: train models by name on a task, and see how they survive other rates."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from timegrain.cli.case_flags import UNCUT, CaseFlags
from timegrain.cli.file_flags import UNSAID, FileFlags
from timegrain.cli.flags import DryRun, Json, OutputDirectory, Seed
from timegrain.cli.train_flags import (
    NETWORK,
    STAGES,
    TRAINING,
    NetworkFlags,
    StageFlags,
    TrainingFlags,
)

if TYPE_CHECKING:
    from timegrain.core.result import Result
    from timegrain.study.job import TrainingJob
    from timegrain.training import PlanAdvice


def train(
    models: Annotated[
        str, Parameter(help="A registered layer (timegrain ls), or a comma list of them.")
    ],
    task: Annotated[str, Parameter(help="A labelled dataset by name or path.")],
    /,
    *,
    network: NetworkFlags = NETWORK,
    stages: StageFlags = STAGES,
    training: TrainingFlags = TRAINING,
    strides: Annotated[
        str, Parameter(help="Score on every k-th test sample, for these k.")
    ] = "1,2,4",
    cases: CaseFlags = UNCUT,
    files: FileFlags = UNSAID,
    seeds: Annotated[int, Parameter(help="Trainings a model, with seeds from --seed on.")] = 1,
    seed: Seed = 0,
    json: Json = False,
    output: OutputDirectory = None,
    overwrite: Annotated[
        bool, Parameter(negative="", help="Replace the networks and results in --output.")
    ] = False,
    dry_run: DryRun = False,
) -> int:
    """Train models on a task and score them at other rates, told and not told their step.

    With --output the networks are stored too, each in a directory under checkpoints/ (safetensors
    and JSON that carry the step and the scaling); timegrain.load_checkpoint reads one, and its
    predict takes raw data. Nothing is written before every training is done, and an --output that
    already holds networks is refused without --overwrite.
    """
    from timegrain.cli import options as words
    from timegrain.cli.emit import emit
    from timegrain.cli.live import training_progress
    from timegrain.data import load_task
    from timegrain.study import check_free, check_jobs, run_trainings, store_checkpoints

    jobs = _jobs(
        words.names(models),
        range(seed, seed + words.at_least_one(seeds, "--seeds")),
        stages=stages.rows(),
        strides=words.whole_numbers(strides, "--strides"),
        **network.job(),
        **training.job(),
    )
    if output is not None:
        check_free(output, overwrite=overwrite)
    loaded = load_task(task, seed=seed, **cases.options(), **files.options())
    check_jobs(jobs, loaded)
    if dry_run:
        aside = ", or in the stages that the label allows" if stages.plan == "auto" else ""
        lines = [f"would train {job.label}, on {task}{aside}" for job in jobs]
        print("\n".join(lines), file=sys.stderr)
        return 0
    advice = stages.advice(loaded, seed)
    if advice is not None:
        jobs = [_planned(job, advice) for job in jobs]
        check_jobs(jobs, loaded)
    with training_progress() as progress:
        trained = run_trainings(jobs, loaded, progress=progress)
    places = () if output is None else store_checkpoints(trained, loaded, output)
    results: list[Result] = [result for one in trained for result in one.results]
    results += [] if advice is None else [advice]
    emit(results, as_json=json, output=output, title=f"Training: {models} on {task}")
    for place in places:
        print(f"checkpoint: {place}", file=sys.stderr)
    return 0


def _jobs(models: list[str], seeds: range, **options: Any) -> "list[TrainingJob]":
    """Return one job a model and seed; the options are those of each."""
    from timegrain.study import TrainingJob

    return [TrainingJob(model=name, seed=seed, **options) for name in models for seed in seeds]


def _planned(job: "TrainingJob", advice: "PlanAdvice") -> "TrainingJob":
    from dataclasses import replace

    total = sum(row.epochs for row in job.stages)
    return replace(job, plan=advice, stages=advice.plan.epochs(total))

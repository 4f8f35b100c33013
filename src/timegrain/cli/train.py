"""`timegrain train`: train models by name on a task, and see how they survive other rates."""

import sys
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from timegrain.cli.file_flags import UNSAID, FileFlags
from timegrain.cli.flags import DryRun, Json, OutputDirectory, Seed

if TYPE_CHECKING:
    from timegrain.core.result import Result
    from timegrain.data.task import Task
    from timegrain.study.job import TrainingJob
    from timegrain.training import PlanAdvice, StageRow


def train(
    models: Annotated[
        str, Parameter(help="A registered layer (timegrain ls), or a comma list of them.")
    ],
    task: Annotated[str, Parameter(help="A labelled dataset by name or path.")],
    /,
    *,
    epochs: Annotated[
        int | None,
        Parameter(help="Epochs at full resolution, or shared out by --plan; 15 if not said."),
    ] = None,
    stages: Annotated[
        str | None,
        Parameter(help="In the place of --epochs: stride:epochs in order, such as 8:40,4:20,1:5."),
    ] = None,
    plan: Annotated[
        str | None,
        Parameter(
            help="auto, from what the label keeps; none; or stride:epochs, warned of where the "
            "label falls."
        ),
    ] = None,
    keep: Annotated[
        float,
        Parameter(help="Share of the label's skill that is enough for a stage of --plan."),
    ] = 0.95,
    d_model: Annotated[int, Parameter(help="Width of the network.")] = 64,
    layers: Annotated[int, Parameter(help="Residual blocks.")] = 2,
    head: Annotated[Literal["mean", "last"], Parameter(help="How time is pooled.")] = "mean",
    options: Annotated[
        str | None, Parameter(help="Layer options as name=value,name=value.")
    ] = None,
    batch_size: Annotated[int, Parameter(help="Sequences a step.")] = 16,
    lr: Annotated[float, Parameter(help="Peak learning rate of all but the dynamics.")] = 1e-2,
    strides: Annotated[
        str, Parameter(help="Score on every k-th test sample, for these k.")
    ] = "1,2,4",
    window: Annotated[
        str | None, Parameter(help="Cut recordings into cases, 128 samples or 2s.")
    ] = None,
    hop: Annotated[
        str | None, Parameter(help="From one window's start to the next; else no overlap.")
    ] = None,
    ahead: Annotated[
        str | None, Parameter(help="Forecast --target so far ahead: 24 samples, or 1h.")
    ] = None,
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
    from timegrain.cli.progress import Progress
    from timegrain.data import load_task
    from timegrain.study import (
        TrainingJob,
        check_free,
        check_jobs,
        run_trainings,
        store_checkpoints,
    )

    rows = _rows(stages, plan, epochs)
    jobs = [
        TrainingJob(
            model=name,
            stages=rows,
            d_model=words.at_least_one(d_model, "--d-model"),
            n_layers=words.at_least_one(layers, "--layers"),
            head=head,
            options=words.assignments(options, "--options"),
            batch_size=words.at_least_one(batch_size, "--batch-size"),
            lr=lr,
            strides=words.whole_numbers(strides, "--strides"),
            seed=seed + i,
        )
        for name in words.names(models)
        for i in range(words.at_least_one(seeds, "--seeds"))
    ]
    if output is not None:
        check_free(output, overwrite=overwrite)
    loaded = load_task(task, window=window, hop=hop, ahead=ahead, seed=seed, **files.options())
    check_jobs(jobs, loaded)
    if dry_run:
        aside = ", or in the stages that the label allows" if plan == "auto" else ""
        lines = [f"would train {job.label}, on {task}{aside}" for job in jobs]
        print("\n".join(lines), file=sys.stderr)
        return 0
    advice = None if plan in (None, "none") else _advice(str(plan), loaded, keep, seed)
    if advice is not None:
        jobs = [_planned(job, advice) for job in jobs]
        check_jobs(jobs, loaded)
    with Progress() as progress:
        trained = run_trainings(jobs, loaded, progress=progress)
    places = () if output is None else store_checkpoints(trained, loaded, output)
    results: list[Result] = [result for one in trained for result in one.results]
    results += [] if advice is None else [advice]
    emit(results, as_json=json, output=output, title=f"Training: {models} on {task}")
    for place in places:
        print(f"checkpoint: {place}", file=sys.stderr)
    return 0


def _rows(stages: str | None, plan: str | None, epochs: int | None) -> tuple["StageRow", ...]:
    from timegrain.cli import options as words
    from timegrain.core.errors import ConfigError
    from timegrain.training import SubsamplingPlan, parse_stages

    if stages is not None:
        if plan is not None:
            raise ConfigError("--stages are a plan themselves", got=f"--plan {plan} beside them")
        if epochs is not None:
            raise ConfigError(
                "--stages say how many epochs there are", got=f"--epochs {epochs} beside them"
            )
        return parse_stages(stages)
    total = None if epochs is None else words.at_least_one(epochs, "--epochs")
    if plan in (None, "auto", "none"):
        return parse_stages(f"1:{15 if total is None else total}")
    rows = parse_stages(str(plan))
    return rows if total is None else SubsamplingPlan.parse(str(plan)).epochs(total)


def _advice(plan: str, task: "Task", keep: float, seed: int) -> "PlanAdvice | None":
    """Return what the label says of a plan; None where it says nothing of one asked for."""
    from timegrain.core.errors import DataError
    from timegrain.training import subsampling_plan
    from timegrain.training.plan.summary import headline

    print("plan: measuring what the label keeps at every stride", file=sys.stderr)
    if plan == "auto":
        advice = subsampling_plan(task, keep=keep, seed=seed)
    else:
        try:
            advice = subsampling_plan(task, force=plan, keep=keep, seed=seed)
        except DataError as error:
            print(f"plan: as asked for; what the label keeps is unknown: {error}", file=sys.stderr)
            return None
    print(f"plan: {headline(advice)}", file=sys.stderr)
    for text in advice.warnings:
        print(f"warning: {text}", file=sys.stderr)
    return advice


def _planned(job: "TrainingJob", advice: "PlanAdvice") -> "TrainingJob":
    from dataclasses import replace

    total = sum(row.epochs for row in job.stages)
    return replace(job, plan=advice, stages=advice.plan.epochs(total))

"""`timegrain train`: train models by name on a task, and see how they survive other rates."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from timegrain.cli.case_flags import UNCUT, CaseFlags
from timegrain.cli.file_flags import say_unused
from timegrain.cli.flags import DryRun, Json, OutputDirectory, Seed
from timegrain.cli.init_flags import FROM_NOTHING, SAID_BY_FILE, InitFlags, TrainFileFlags
from timegrain.cli.train_flags import (
    NETWORK,
    STAGES,
    TRAINING,
    NetworkFlags,
    StageFlags,
    TrainingFlags,
)

if TYPE_CHECKING:
    from timegrain.data import Task
    from timegrain.study.job import Trained, TrainingJob
    from timegrain.training import PlanAdvice, TrainingRun

USAGE = "Usage: timegrain train [MODELS] TASK [OPTIONS]"


def train(
    models: Annotated[
        str,
        Parameter(
            help="A registered layer (timegrain ls), or a comma list of them; left out with "
            "--model or --init."
        ),
    ],
    task: Annotated[
        str | None, Parameter(help="A labelled dataset by name or path.", show_default=False)
    ] = None,
    /,
    *,
    model: Annotated[
        str | None, Parameter(help="In the place of MODELS, as in train OSULeaf --model s4d.")
    ] = None,
    network: NetworkFlags = NETWORK,
    stages: StageFlags = STAGES,
    training: TrainingFlags = TRAINING,
    init: InitFlags = FROM_NOTHING,
    strides: Annotated[
        str, Parameter(help="Score on every k-th test sample, for these k.")
    ] = "1,2,4",
    cases: CaseFlags = UNCUT,
    files: TrainFileFlags = SAID_BY_FILE,
    seeds: Annotated[int, Parameter(help="Trainings a model, with seeds from --seed on.")] = 1,
    seed: Seed = 0,
    json: Json = False,
    output: OutputDirectory = None,
    overwrite: Annotated[
        bool, Parameter(negative="", help="Replace the networks and results in --output.")
    ] = False,
    resume: Annotated[
        bool,
        Parameter(negative="", help="Go on with what was interrupted, from --output's snapshots."),
    ] = False,
    dry_run: DryRun = False,
) -> int:
    """Train models on a task and score them at other rates, told and not told their step.

    With --plan auto training begins on as few samples as the label allows. With --init a stored
    network is trained on, at its own rate or at another.

    With --output the networks are stored too, each in a directory under checkpoints/ (safetensors
    and JSON that carry the step and the scaling); timegrain.load_checkpoint reads one, and its
    predict takes raw data. They and the results are written when every training is done; an
    --output that already holds networks is refused without --overwrite.

    Until then snapshots/ alone is written, with the state of each training. After an interrupt at
    any instant the same command with --resume goes on from the last one, on the CPU to the same
    weights; trainings that are done are not repeated. What is in it is removed in the end.

    In several processes (torchrun --nproc-per-node 2 -m timegrain train ...) each takes its share
    of every batch; the first prints and writes.
    """
    from timegrain.cli import options as words
    from timegrain.cli.compiling import tells_of_compiling
    from timegrain.cli.interrupts import resumable
    from timegrain.cli.live import training_progress
    from timegrain.core.errors import ConfigError
    from timegrain.study import (
        check_free,
        check_jobs,
        has_begun,
        is_finished,
        keep_plan,
        keep_snapshots,
        run_trainings,
        sole_output,
    )

    init.check()
    named, source = _names(models, task, model, init, network)
    counts = range(seed, seed + words.at_least_one(seeds, "--seeds"))
    # every word is checked before anything is read
    job = {
        "stages": stages.rows(),
        "strides": words.whole_numbers(strides, "--strides"),
        **network.job(),
        **training.job(),
    }
    jobs = _jobs(named, counts, **job)
    is_new = output is None or not has_begun(output)
    again = resume and not overwrite and output is not None and is_finished(output)
    if output is not None and not again:
        check_free(output, overwrite=overwrite, resume=resume, start=init.init)
    elif resume and output is None:
        raise ConfigError("--resume goes on from what --output holds", got="no --output")
    if init.init is not None:
        start, cases, files = init.start(source, files, cases, seed=seed)
        loaded = start.task
        named = [start.layer]
        jobs = _jobs(named, counts, start=start, **job)
    else:
        loaded = _load(source, files, cases, seed, lazy=training.tbptt is not None)
    say_unused(loaded.notes)
    check_jobs(jobs, loaded)
    if resume and output is not None and not again:
        _check_resumed(stages.beside(jobs), loaded, output, planned=stages.plan == "auto")
    if again and output is not None:
        return _say_again(jobs, loaded, stages.asked(), output, json=json)
    if dry_run:
        _say(stages.beside(jobs), source, auto=stages.plan == "auto")
        return 0
    with tells_of_compiling() as compiling:
        folder = None if output is None else output / "snapshots"
        advice = stages.advice(
            loaded,
            seed,
            kept=folder if resume else None,
            compiling=compiling,
            in_parts=training.tbptt is not None,
        )
        if advice is not None:
            jobs = [_planned(job, advice) for job in jobs]
        jobs = stages.beside(jobs)
        check_jobs(jobs, loaded)
        title = init.title(jobs[0].start, f"{','.join(named)} on {loaded.name}")
        with sole_output(output), resumable(output):
            if output is not None:
                # another command may have been there meanwhile
                check_free(output, overwrite=overwrite, resume=resume, start=init.init)
                jobs = keep_snapshots(jobs, loaded, output, resume=resume)
                if advice is not None and folder is not None:
                    keep_plan(folder, stages.measured_with(loaded, seed), advice)
                if resume and not is_new:
                    _say_where(jobs)
            with training_progress(compiling) as progress:
                trained = run_trainings(jobs, loaded, progress=progress)
            asked = stages.asked()
            cut = {**cases.options(), "seed": seed, **files.made()}
            _finish(trained, advice, loaded, asked, cut, json=json, output=output, title=title)
    return 0


def _check_resumed(jobs: "list[TrainingJob]", task: "Task", output: Path, *, planned: bool) -> None:
    """Check what can be before a plan is measured, and say where nothing is there to resume."""
    from timegrain.study import check_same, has_begun
    from timegrain.training.distributed.environment import leads

    if not planned:
        check_same(jobs, task, output)
    if leads() and not has_begun(output):
        state = "empty" if output.is_dir() else "not there"
        print(
            f"resume: nothing to resume: {output} is {state}\n"
            "resume: the training starts from the beginning",
            file=sys.stderr,
        )


def _say_where(jobs: "list[TrainingJob]") -> None:
    """Print where each training goes on."""
    from timegrain.training.distributed.environment import leads
    from timegrain.training.trainer.snapshots import Snapshots

    for job in jobs if leads() else ():
        place: Any = job.training["snapshots"]
        files = Snapshots(place).files()
        last = int("".join(c for c in files[-1].stem if c.isdigit())) if files else 0
        where = f"from its snapshot number {last:,}" if files else "begins: it has no snapshot"
        print(f"resume: {job.label}: {where}", file=sys.stderr)


def _say_again(
    jobs: "list[TrainingJob]", task: "Task", asked: dict[str, object], output: Path, *, json: bool
) -> int:
    """Print the results of a command that was finished before."""
    from timegrain.cli.emit import emit
    from timegrain.study import finished_results
    from timegrain.training.distributed.environment import leads

    results = finished_results(output, jobs, task, asked)
    if leads():
        print(f"already done: these are the results in {output}", file=sys.stderr)
        emit(results, as_json=json, output=None)
    return 0


def _say(jobs: "list[TrainingJob]", source: str, *, auto: bool) -> None:
    """Print what would be trained."""
    from timegrain.cli.wording import wrapped

    aside = ", or in the stages that the label allows" if auto else ""
    for job in jobs:
        print(wrapped(f"would train {job.label}, on {source}{aside}"), file=sys.stderr)


def _names(
    models: str, task: str | None, model: str | None, init: InitFlags, network: NetworkFlags
) -> tuple[list[str], str]:
    """Return the models, none with `--init`, and the task.

    Raises:
        ConfigError: If one is missing or said twice.
    """
    from timegrain.cli import options as words
    from timegrain.core.errors import ConfigError

    if init.init is not None:
        network.check_unsaid()
    said = [f"--model {model}"] * (model is not None) + ["--init"] * (init.init is not None)
    if len(said) + (task is not None) > 1:
        raise ConfigError(
            "the network is said twice",
            got=" and ".join([*([models] if task is not None else []), *said]),
            expected="one of MODELS, --model and --init",
        )
    if not said and task is None:
        raise ConfigError(
            "a training needs models and a task",
            got=models,
            expected="timegrain train s4d OSULeaf, or timegrain train OSULeaf --model s4d",
        )
    if task is not None:
        _check_order(models, task)
        return words.names(models), task
    return ([] if model is None else words.names(model)), models


def _check_order(models: str, task: str) -> None:
    from timegrain.core.errors import ConfigError
    from timegrain.models.registry import models as registered

    if task in registered and not any(name in registered for name in models.split(",")):
        raise ConfigError(
            "the model stands where the task should",
            got=f"timegrain train {models} {task}",
            expected=f"timegrain train {task} {models}",
        )


def _load(source: str, files: TrainFileFlags, cases: CaseFlags, seed: int, *, lazy: bool) -> "Task":
    from timegrain.data import load_task

    options = files.of_the_file(tuning=False).options()
    return load_task(source, seed=seed, lazy=lazy, **cases.options(), **options)


def _jobs(models: list[str], seeds: range, **options: Any) -> "list[TrainingJob]":
    """Return one job a model and seed; the options are those of each."""
    from timegrain.study import TrainingJob

    return [TrainingJob(model=name, seed=seed, **options) for name in models for seed in seeds]


def _planned(job: "TrainingJob", advice: "PlanAdvice") -> "TrainingJob":
    from dataclasses import replace

    total = sum(row.epochs for row in job.stages)
    return replace(job, plan=advice, stages=advice.plan.epochs(total))


def _finish(
    trained: "tuple[Trained, ...]",
    advice: "PlanAdvice | None",
    task: "Task",
    asked: dict[str, object],
    cases: "dict[str, str | int | None]",
    *,
    json: bool,
    output: Path | None,
    title: str,
) -> None:
    """Print the results, and store them with the networks where that is asked."""
    from timegrain.training.distributed.environment import leads

    if not leads():
        return
    from dataclasses import replace

    from timegrain.cli.emit import emit
    from timegrain.cli.wording import wrapped
    from timegrain.study import remove_snapshots, store_checkpoints
    from timegrain.study.asked import asked as words_asked
    from timegrain.study.asked import with_asked
    from timegrain.training.saving import SAVING_NOTE, saving_texts, with_savings

    places = () if output is None else store_checkpoints(trained, task, output, cases=cases)
    runs = with_savings([_with_plan_seconds(one.run, advice) for one in trained])
    if output is not None:
        pairs = zip(trained, runs, strict=True)
        runs = tuple(with_asked(run, words_asked(one.job, task, asked)) for one, run in pairs)
    trained = tuple(replace(one, run=run) for one, run in zip(trained, runs, strict=True))
    results = [result for one in trained for result in one.results]
    results += [] if advice is None else [advice]
    emit(results, as_json=json, output=output, title=f"Training: {title}")
    if output is not None:
        remove_snapshots(output)
    for text in saving_texts(runs):
        print(wrapped(f"saving: {SAVING_NOTE}{text}"), file=sys.stderr)
    for place in places:
        print(f"checkpoint: {place}", file=sys.stderr)


def _with_plan_seconds(run: "TrainingRun", advice: "PlanAdvice | None") -> "TrainingRun":
    """Return the record of stages with what measuring their plan took."""
    from dataclasses import replace

    seconds = None if advice is None else advice.provenance.parameters.get("seconds")
    if seconds is None or run.plan == "full":
        return run
    parameters = {**run.provenance.parameters, "plan_seconds": seconds}
    return replace(run, provenance=replace(run.provenance, parameters=parameters))

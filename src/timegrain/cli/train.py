"""`timegrain train`: train models by name on a task, and see how they survive other rates."""

import sys
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from timegrain.cli.file_flags import UNSAID, FileFlags
from timegrain.cli.flags import DryRun, Json, OutputDirectory, Seed

if TYPE_CHECKING:
    from timegrain.training import StageRow


def train(
    models: Annotated[
        str, Parameter(help="A registered layer (timegrain ls), or a comma list of them.")
    ],
    task: Annotated[str, Parameter(help="A labelled dataset by name or path.")],
    /,
    *,
    epochs: Annotated[
        int | None, Parameter(help="Epochs at full resolution; 15 without --stages.")
    ] = None,
    stages: Annotated[
        str | None,
        Parameter(help="In the place of --epochs: stride:epochs in order, such as 8:40,4:20,1:5."),
    ] = None,
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

    plan = _plan(stages, epochs)
    jobs = [
        TrainingJob(
            model=name,
            stages=plan,
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
        print("\n".join(f"would train {job.label}, on {task}" for job in jobs), file=sys.stderr)
        return 0
    with Progress() as progress:
        trained = run_trainings(jobs, loaded, progress=progress)
    places = () if output is None else store_checkpoints(trained, loaded, output)
    results = [result for one in trained for result in one.results]
    emit(results, as_json=json, output=output, title=f"Training: {models} on {task}")
    for place in places:
        print(f"checkpoint: {place}", file=sys.stderr)
    return 0


def _plan(stages: str | None, epochs: int | None) -> tuple["StageRow", ...]:
    from timegrain.cli import options as words
    from timegrain.core.errors import ConfigError
    from timegrain.training import parse_stages

    if stages is None:
        return parse_stages(f"1:{words.at_least_one(15 if epochs is None else epochs, '--epochs')}")
    if epochs is not None:
        raise ConfigError(
            "--stages say how many epochs there are", got=f"--epochs {epochs} beside them"
        )
    return parse_stages(stages)

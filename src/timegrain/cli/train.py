"""`timegrain train`: train models by name on a task, and see how they survive other rates."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from timegrain.cli.flags import DryRun, Json, Names, OutputDirectory, Seed


def train(
    models: Names,
    task: Annotated[str, Parameter(help="A labelled dataset by name or path.")],
    /,
    *,
    epochs: Annotated[int, Parameter(help="Epochs at full resolution, without --stages.")] = 15,
    stages: Annotated[
        str | None, Parameter(help="stride:epochs in order, such as 8:40,4:20,2:10,1:5.")
    ] = None,
    d_model: Annotated[int, Parameter(help="Width of the network.")] = 64,
    layers: Annotated[int, Parameter(help="Residual blocks.")] = 2,
    head: Annotated[Literal["mean", "last"], Parameter(help="How time is pooled.")] = "mean",
    options: Annotated[
        str | None, Parameter(help="Layer options as name=value,name=value.")
    ] = None,
    batch_size: Annotated[int, Parameter(help="Sequences a step.")] = 16,
    lr: Annotated[float, Parameter(help="Peak learning rate of all but the dynamics.")] = 1e-2,
    strides: Annotated[str, Parameter(help="Rates of the transfer curve.")] = "1,2,4",
    target: Annotated[str | None, Parameter(help="Array of an npz file with the labels.")] = None,
    key: Annotated[str | None, Parameter(help="Array of an npz file with the sequences.")] = None,
    seeds: Annotated[int, Parameter(help="Trainings a model, with seeds from --seed on.")] = 1,
    seed: Seed = 0,
    json: Json = False,
    output: OutputDirectory = None,
    dry_run: DryRun = False,
) -> int:
    """Train models on a task and score them at other rates, told and not told their step.

    With --output the networks are stored too, as safetensors and JSON that carry dt_trained.
    """
    from timegrain.cli import options as words
    from timegrain.cli.emit import emit
    from timegrain.cli.progress import Progress
    from timegrain.data import load_task
    from timegrain.models import models as registry
    from timegrain.study import TrainingJob, run_training
    from timegrain.training import parse_stages

    plan = parse_stages(stages if stages is not None else f"1:{epochs}")
    loaded = load_task(task, target=target, key=key, seed=seed)
    jobs = [
        TrainingJob(
            model=registry.entry(name).name,
            stages=plan,
            d_model=d_model,
            n_layers=layers,
            head=head,
            options=words.assignments(options, "--options"),
            batch_size=batch_size,
            lr=lr,
            strides=words.whole_numbers(strides, "--strides"),
            seed=seed + i,
        )
        for name in words.names(models)
        for i in range(words.at_least_one(seeds, "--seeds"))
    ]
    if dry_run:
        print("\n".join(f"would train {job.model}, seed {job.seed}, on {task}" for job in jobs))
        return 0
    with Progress() as progress:
        results = [
            result
            for job in jobs
            for result in run_training(
                job, loaded, progress=progress, checkpoints=_checkpoints(output)
            )
        ]
    emit(results, as_json=json, output=output, title=f"Training: {models} on {task}")
    return 0


def _checkpoints(output: Path | None) -> Path | None:
    return None if output is None else output / "checkpoints"

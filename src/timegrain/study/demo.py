"""The demonstration: shipped data, two layers and a baseline, measured, trained and compared."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from timegrain.core.result import Result
from timegrain.study.job import Tell, TrainingJob, carry_out
from timegrain.study.progress import Progress, ProgressEvent, TrainingMoment, ignore
from timegrain.study.settings import DemoSettings
from timegrain.training.stages import StageRow, parse_stages, plan_name

Part = tuple[str, Result]


@dataclass(frozen=True, kw_only=True)
class DemoResults(Sequence[Part]):
    """The results of a demonstration, as a sequence of `(name, result)`.

    Args:
        settings: What it was told.
        parts: The results in the order in which they were made, each with a name of its own.
    """

    settings: DemoSettings
    parts: tuple[Part, ...]

    @property
    def results(self) -> tuple[Result, ...]:
        """The results without their names."""
        return tuple(result for _, result in self.parts)

    @overload
    def __getitem__(self, index: int) -> Part: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Part, ...]: ...

    def __getitem__(self, index: int | slice) -> Part | tuple[Part, ...]:
        return self.parts[index]

    def __len__(self) -> int:
        return len(self.parts)


@dataclass(frozen=True, kw_only=True)
class Step:
    """One thing the demonstration does.

    Args:
        label: What it is.
        run: Does it; is given a function to tell how far it is, and returns results.
    """

    label: str
    run: Callable[[Tell], list[Result]]


def run_demo(settings: DemoSettings | None = None, *, progress: Progress = ignore) -> DemoResults:
    """Measure, train and compare; deterministic but for times, given the settings and the machine.

    In order: the continuity of the sets in one window; the model continuity of each layer over the
    amplitudes; on the task and on its twin with permuted time the baseline and each layer at full
    resolution, every seed, each network scored at other rates; on the task, stages.

    Args:
        settings: None for the defaults.
        progress: Called at the start of each step and within the long ones.

    Raises:
        MissingPackageError: If a package that holds the data is not installed.
    """
    settings = settings or DemoSettings()
    steps = list(_steps(settings))
    parts: list[Part] = []
    for number, step in enumerate(steps, start=1):

        def tell(
            detail: str,
            left: float | None,
            moment: TrainingMoment | None = None,
            number: int = number,
            step: Step = step,
        ) -> None:
            progress(
                ProgressEvent(
                    step=number,
                    steps=len(steps),
                    label=step.label,
                    detail=detail,
                    seconds_left=left,
                    training=moment,
                )
            )

        tell("", None)
        parts += [(f"{result.kind}-{result.name}", result) for result in step.run(tell)]
    return DemoResults(settings=settings, parts=tuple(parts))


def _steps(settings: DemoSettings) -> Iterator[Step]:
    yield from (_set_step(name, settings) for name in settings.sets)
    yield from (_model_step(name, settings) for name in settings.models)
    full = (StageRow(stride=1, epochs=settings.epochs),)
    for permute in (False, True):
        yield _baseline_step(settings, permute=permute)
    # seeds outermost, so that a slow minute of the machine does not fall on one kind of training
    for seed in settings.seeds:
        for name in settings.models:
            yield _training_step(_job(settings, name, full, seed), settings, permute=False)
            stages = parse_stages(settings.stages)
            yield _training_step(_job(settings, name, stages, seed), settings, permute=False)
            yield _training_step(_job(settings, name, full, seed), settings, permute=True)


def _set_step(name: str, settings: DemoSettings) -> Step:
    def run(tell: Tell) -> list[Result]:
        from timegrain.continuity.dataset import dataset_continuity
        from timegrain.study.sets import load_set

        data = load_set(name)
        return [dataset_continuity(data, window=settings.window, seed=settings.seed)]

    return Step(label=f"continuity of {name}", run=run)


def _model_step(name: str, settings: DemoSettings) -> Step:
    def run(tell: Tell) -> list[Result]:
        from timegrain.continuity.model.measure import model_continuity

        return [
            model_continuity(
                name,
                amplitudes=settings.amplitudes,
                levels=settings.levels,
                d_model=settings.d_model,
                seeds=settings.pairs,
                seed=settings.seed,
            )
        ]

    return Step(label=f"model continuity of {name}", run=run)


def _baseline_step(settings: DemoSettings, *, permute: bool) -> Step:
    def run(tell: Tell) -> list[Result]:
        from timegrain.data.tasks import load_task
        from timegrain.training.baseline import baseline_score

        task = load_task(settings.task, permute=permute)
        return [baseline_score(task, settings.seed, n_features=settings.n_features)]

    return Step(label=f"baseline on {_task_name(settings, permute)}", run=run)


def _training_step(job: TrainingJob, settings: DemoSettings, *, permute: bool) -> Step:
    def run(tell: Tell) -> list[Result]:
        from timegrain.data.tasks import load_task

        task = load_task(settings.task, permute=permute)
        return list(carry_out(job, task, tell).results)

    plan = "full" if plan_name(job.stages) == "full" else "stages"
    label = f"{job.model} on {_task_name(settings, permute)}, {plan}, seed {job.seed}"
    return Step(label=label, run=run)


def _job(settings: DemoSettings, name: str, stages: tuple[StageRow, ...], seed: int) -> TrainingJob:
    return TrainingJob(
        model=name,
        stages=stages,
        d_model=settings.d_model,
        n_layers=settings.n_layers,
        options=settings.models[name],
        batch_size=settings.batch_size,
        lr=settings.lr,
        strides=settings.strides,
        seed=seed,
    )


def _task_name(settings: DemoSettings, permute: bool) -> str:
    return f"{settings.task}-permuted" if permute else settings.task

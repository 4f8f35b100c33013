"""A plain training loop that can go through the data at several strides."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch
from torch import nn

from timegrain.core.errors import ConfigError, ModelError
from timegrain.core.outcome import Outcome
from timegrain.core.provenance import Provenance
from timegrain.core.seeds import stream
from timegrain.data.task import Task
from timegrain.models.options import seed_number, whole
from timegrain.training.batch import Batch
from timegrain.training.feasible import check_stages, check_task, class_notes, coarse_notes
from timegrain.training.objective import Objective
from timegrain.training.optimise import make_optimiser
from timegrain.training.plan.check import check_plan
from timegrain.training.plan.course import Course
from timegrain.training.plan.plan import SubsamplingPlan
from timegrain.training.plan.read import Itinerary, read_plan
from timegrain.training.plan.settings import StepSettings
from timegrain.training.remarks import over_notes, trivial_notes
from timegrain.training.run import EpochRow, TrainingRun
from timegrain.training.score import (
    AnswerError,
    Score,
    check_interface,
    device_of,
    is_per_step,
    make_batch,
    score_batch,
)
from timegrain.training.stages import StageRow, plan_name
from timegrain.training.units import ScoreUnits, score_units

if TYPE_CHECKING:
    from timegrain.training.plan.advice import PlanAdvice

OnEpoch = Callable[[EpochRow, float], None]

MONITORING_NOTE = (
    "The score after each epoch is of the test part, for watching only: nothing is selected by it, "
    "and the final score is that of the last epoch."
)


def train(
    model: nn.Module,
    task: Task,
    *,
    stages: str | Iterable[StageRow | tuple[int, int]] | None = None,
    plan: "SubsamplingPlan | PlanAdvice | str | None" = None,
    epochs: int | None = None,
    batch_size: int = 16,
    lr: float = 1e-2,
    dynamics_lr: float = 1e-3,
    weight_decay: float = 0.01,
    clip: float = 1.0,
    seed: int = 0,
    on_epoch: OnEpoch | None = None,
) -> TrainingRun:
    """Train a network in place and return the record of it.

    A stage of stride k sees every k-th sample, from a phase drawn anew for each batch; the network
    is told `tau = k`; lengths and targets follow. AdamW, one cosine over all steps with a short
    rise, clipped gradients.

    Args:
        model: `forward(x, tau=1.0, *, lengths=None)` with an attribute `takes_tau`, such as
            `build_model` makes; left in eval mode.
        task: What to learn.
        stages: `(stride, epochs)` pairs in order, or text such as `"8:80,4:60,1:20"`.
        plan: In their place a `SubsamplingPlan`, what `subsampling_plan` advises, or text: `"auto"`
            asks `subsampling_plan`, `"none"` keeps all samples, else `stride:epochs`.
        epochs: Of the whole training, shared out by the plan; None takes the sum of a text's
            epochs, else 15.
        batch_size: Sequences a step.
        lr: Peak learning rate.
        dynamics_lr: Peak learning rate of the time scales, which never decay.
        weight_decay: Of all other parameters.
        clip: Largest norm of the gradient, > 0.
        seed: Of the order, the phases and dropout; torch's global generator is left as it was.
        on_epoch: Called after each epoch with its row and the seconds still expected.

    Returns:
        A run whose `seconds` count training alone, and whose score is that of the last epoch.

    Raises:
        ConfigError: If an option is outside its domain, or a stage leaves too little of the
            sequences.
        DataError: If a part is empty, a target is not finite, or there is one class alone.
        ModelError: If the network does not fit the task, or the training diverges: a loss or an
            answer is not finite. The weights are then those it diverged with.

    Note:
        Batches keep their number of sequences at every stride. On OSULeaf (2 layers of 64, 2
        seeds, stages of stride 8, 4, 2, 1 in the time of 15 full epochs) batches that grow with
        the stride, to the same number of samples, scored .76 for S4D and .59 for S6; constant
        ones .79 and .66. There, too, a peak rate of .01 scored .72 and .62 at full resolution,
        .004 scored .60 and .61.
    """
    check_interface(model)
    check_task(task)
    whole("batch_size", batch_size, least=1)
    seed_number(seed)
    if not clip > 0:
        raise ConfigError("gradients cannot be clipped so", got=f"clip={clip}", expected="above 0")
    way = read_plan(task, stages=stages, plan=plan, epochs=epochs, seed=seed)
    check_stages(task, way.rows)
    check_plan(model, task, way.plan)
    options = {"batch_size": batch_size, "lr": lr, "dynamics_lr": dynamics_lr}
    options |= {"weight_decay": weight_decay, "clip": clip}
    optimiser = make_optimiser(model, lr=lr, dynamics_lr=dynamics_lr, weight_decay=weight_decay)
    work = _Work.of(model, task, way, optimiser, batch_size=batch_size, clip=clip, seed=seed)
    with torch.random.fork_rng(devices=[]):
        work.warm_up()
        torch.default_generator.manual_seed(_draw_seed(seed, "dropout"))
        score = work.run(on_epoch)
    model.eval()
    return _record(work, task, score, seed=seed, options=options)


@dataclass(kw_only=True)
class _Work:
    """One training under way."""

    model: nn.Module
    objective: Objective
    data: Batch
    test: Batch
    units: ScoreUnits
    way: Itinerary
    course: Course
    optimiser: torch.optim.Optimizer
    schedule: torch.optim.lr_scheduler.LambdaLR
    random: torch.Generator
    batch_size: int
    clip: float
    seconds: float = 0.0
    history: list[EpochRow] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        model: nn.Module,
        task: Task,
        way: Itinerary,
        optimiser: torch.optim.Optimizer,
        *,
        batch_size: int,
        clip: float,
        seed: int,
    ) -> "_Work":
        objective, per_step = Objective.of(task), is_per_step(model)
        data = make_batch(task.train, objective, per_step=per_step)
        course = Course.of(way.plan, way.rows, n=len(data), batch_size=batch_size)
        return cls(
            model=model,
            objective=objective,
            data=data,
            test=make_batch(task.test, objective, per_step=per_step),
            units=score_units(task),
            way=way,
            course=course,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.LambdaLR(optimiser, course.factor),
            random=torch.Generator().manual_seed(_draw_seed(seed, "order")),
            batch_size=batch_size,
            clip=clip,
        )

    def warm_up(self) -> None:
        """Go forward and back once, so that compiling kernels is not counted as training."""
        self.model.train()
        batch = self.data.take(torch.arange(min(2, len(self.data)))).to(device_of(self.model))
        self.objective.loss(self.model(batch.x, 1.0, lengths=batch.lengths), batch).backward()
        self.optimiser.zero_grad()

    def run(self, on_epoch: OnEpoch | None) -> Score:
        """Go through all stages and return the last score."""
        strides = [settings.stride for settings in self.course.epochs]
        for done, settings in enumerate(self.course.epochs, start=1):
            stride = settings.stride
            started = time.perf_counter()
            loss = self._epoch(settings)
            trained = time.perf_counter()
            self.seconds += trained - started
            score = self._score(done, stride)
            row = EpochRow(
                epoch=done,
                stride=stride,
                seconds=self.seconds,
                train_loss=loss,
                score=score.score,
            )
            self.history.append(row)
            if on_epoch is not None:
                evaluation = time.perf_counter() - trained
                # an epoch costs about as many samples as it sees, and each ends in an evaluation
                left = sum((trained - started) * stride / k + evaluation for k in strides[done:])
                on_epoch(row, left)
        return score

    def _score(self, epoch: int, stride: int) -> Score:
        try:
            return score_batch(self.model, self.test, self.objective, tau=1.0, units=self.units)
        except AnswerError as error:
            raise _diverged("an answer", f"{error.got}, after epoch {epoch}", stride) from error

    def _epoch(self, settings: StepSettings) -> float:
        """Go through the training part once and return the mean loss over its sequences."""
        self.model.train()
        total = 0.0
        order = torch.randperm(len(self.data), generator=self.random)
        for index in order.split(settings.batch_size):
            total += self._step(self.data.take(index), settings) * len(index)
        return total / len(self.data)

    def _step(self, batch: Batch, settings: StepSettings) -> float:
        offset = settings.offset(batch.x.shape[1], self.random)
        self.optimiser.zero_grad()
        out, batch = settings.answer(self.model, batch, offset)
        loss = self.objective.loss(out, batch)
        if not bool(torch.isfinite(loss)):
            got = f"{loss.item()} in epoch {len(self.history) + 1}"
            raise _diverged("the loss", got, settings.stride)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.optimiser.step()
        self.schedule.step()
        return float(loss.detach())


def _diverged(what: str, got: str, stride: int) -> ModelError:
    return ModelError(
        f"the training diverged: {what} is not finite",
        got=f"{got} at stride {stride}",
        hint="a lower learning rate (lr=0.001), or looking for extreme values in the data",
    )


def _draw_seed(seed: int, name: str) -> int:
    return int(stream(seed, "train", name).integers(2**63))


def _record(
    work: _Work, task: Task, score: Score, *, seed: int, options: dict[str, float]
) -> TrainingRun:
    config = getattr(work.model, "config", None) or {"name": type(work.model).__name__}
    plan = plan_name(work.way.rows)
    parameters = {"model": config, "task": task.name, "plan": plan, **options}
    if work.way.plan != SubsamplingPlan.of((r.stride, r.epochs) for r in work.way.rows):
        parameters["subsampling"] = work.way.plan.state_dict()
    return TrainingRun(
        name=f"{config['name']} on {task.name}, {plan}, seed {seed}",
        outcome=Outcome.MEASURED,
        provenance=Provenance.collect(seed=seed, parameters=parameters),
        notes=(
            *task.notes,
            *class_notes(task),
            *coarse_notes(task, [row.stride for row in work.way.rows], part="train"),
            *work.way.notes,
            MONITORING_NOTE,
            *over_notes(score.over),
            *trivial_notes(task.metric, score.score, task.trivial_score),
        ),
        reasons=score.reasons,
        model=config,
        task=task.name,
        seed=seed,
        plan=plan,
        stages=work.way.rows,
        n_parameters=sum(p.numel() for p in work.model.parameters() if p.requires_grad),
        n_train=len(work.data),
        n_test=score.n,
        batch_size=work.batch_size,
        dt_trained=task.dt,
        unit=task.unit,
        metric=task.metric,
        trivial_score=task.trivial_score,
        score=score.score,
        low=score.low,
        high=score.high,
        over=score.over,
        correct=score.correct,
        seconds=work.seconds,
        history=tuple(work.history),
    )

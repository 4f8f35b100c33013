"""What a training works with and does not change, but for the weights."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import nn

from timegrain.data.task import Task
from timegrain.training.batch import Batch
from timegrain.training.feasible import check_task
from timegrain.training.held_out import hold_out
from timegrain.training.objective import Objective
from timegrain.training.plan.course import Course
from timegrain.training.plan.read import Itinerary
from timegrain.training.plan.walk import Walk
from timegrain.training.score import Score, device_of, is_per_step, make_batch, score_batch
from timegrain.training.trainer.first_answer import first_answer
from timegrain.training.trainer.network_state import buffers_kept
from timegrain.training.trainer.settings import TrainerSettings
from timegrain.training.truncated.long_batch import LongBatch
from timegrain.training.truncated.scoring import score_in_chunks
from timegrain.training.units import ScoreUnits, score_units

if TYPE_CHECKING:
    from timegrain.training.distributed.team import Team


@dataclass(frozen=True, kw_only=True, eq=False)
class Material:
    """A network, what it learns from, what it is scored on, and the way through both.

    Args:
        model: The network.
        task: What it learns.
        objective: What is lowered.
        data: The training part; nothing of it is read yet where windows need not fit into memory.
        test: The test part, alike.
        units: Which scored cases are independent.
        way: The plan with its epochs.
        course: The plan over the steps.
        settings: Numbers that the plan does not say.
        held_out: What is held out of the training part for early stopping; None without it.
        held_out_sentence: What that is, in words.
    """

    model: nn.Module
    task: Task
    objective: Objective
    data: Batch | LongBatch
    test: Batch | LongBatch
    units: ScoreUnits
    way: Itinerary
    course: Course
    settings: TrainerSettings
    held_out: Batch | LongBatch | None = None
    held_out_sentence: str = ""

    @classmethod
    def of(
        cls, model: nn.Module, task: Task, way: Itinerary, settings: TrainerSettings
    ) -> "Material":
        """Return what the training of a network on a task works with.

        Raises:
            DataError: If a part is empty or a target is not finite.
            ModelError: If the network answers at every sample and the task does not.
        """
        objective = Objective.of(task, targets=settings.targets)
        per_step, n = is_per_step(model), settings.step_size
        make = make_batch if settings.tbptt is None else LongBatch.of
        held = None
        if settings.patience is not None:
            held = hold_out(task, settings.validation, seed=settings.seed)
            check_task(held.task)
        data = make((task if held is None else held.task).train, objective, per_step=per_step)
        return cls(
            model=model,
            task=task,
            objective=objective,
            data=data,
            test=make(task.test, objective, per_step=per_step),
            units=score_units(task),
            way=way,
            course=Course.of(way.plan, way.rows, n=len(data), batch_size=n, tau=settings.tau),
            settings=settings,
            held_out=None if held is None else make(held.task.test, objective, per_step=per_step),
            held_out_sentence="" if held is None else held.sentence,
        )

    def walk(self) -> Walk:
        """Return the steps in order, from the first on."""
        n, time = self.data.x.shape[:2]
        return Walk(self.course, n=n, time=time, seed=self.settings.seed)

    def warm_up(self) -> None:
        """Go forward and back once, so that compiling kernels is not counted as training.

        Buffers of the network, such as the statistics of BatchNorm, are put back.

        Raises:
            ModelError: If its answer is none that can be trained on.
        """
        self.model.train()
        tau = self.settings.tau
        chosen = self.data.take(torch.arange(min(2, len(self.data))))
        if isinstance(chosen, LongBatch):
            chosen = chosen.read(0, self.settings.tbptt or chosen.time)
        batch = chosen.to(device_of(self.model))
        with buffers_kept(self.model):
            out = first_answer(self.model, batch, tau)
            self.objective.loss(out, batch).backward()
        self.model.zero_grad()

    def score(self, part: Batch | LongBatch | None = None, *, team: "Team | None" = None) -> Score:
        """Return the score at full resolution.

        Args:
            part: Of what was held out, without saying what is independent in it; None is the test
                part.
            team: The processes that each score a share; None where this one is alone.

        Raises:
            ModelError: If an answer is not finite.
        """
        tau = self.settings.tau
        scored, units = (self.test, self.units) if part is None else (part, None)
        if isinstance(scored, LongBatch):
            return score_in_chunks(
                self.model,
                scored,
                self.objective,
                size=self.settings.tbptt or scored.time,
                tau=tau,
                batch_size=self.settings.batch_size,
                units=units,
                team=team,
            )
        return score_batch(self.model, scored, self.objective, tau=tau, units=units, team=team)

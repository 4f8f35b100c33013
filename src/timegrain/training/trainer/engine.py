"""The loop over the steps of a training."""

import math
import time
from collections.abc import Callable

from torch import nn

from timegrain.core.errors import ModelError
from timegrain.core.seeds import stream
from timegrain.training.plan.walk import Step
from timegrain.training.run import EpochRow
from timegrain.training.score import AnswerError, Score
from timegrain.training.trainer.gradient import GradientRule
from timegrain.training.trainer.material import Material
from timegrain.training.trainer.state import TrainingState

OnEpoch = Callable[[EpochRow, float], None]


class Trainer:
    """Goes through the steps of a training from wherever its state is.

    Args:
        material: What it works with.
        rule: How the gradient of a batch comes about.
        state: Where the training is.
    """

    def __init__(self, material: Material, rule: GradientRule, state: TrainingState) -> None:
        self.material, self.rule, self.state = material, rule, state
        self.base_rates = [group["lr"] for group in state.optimiser.param_groups]
        self._score: Score | None = None

    def run(self, on_epoch: OnEpoch | None = None) -> Score:
        """Train to the end and return the score of the last epoch.

        Args:
            on_epoch: Called after each epoch with its row and the seconds still expected.

        Raises:
            ModelError: If a loss or an answer is not finite.
        """
        while self.state.unscored or not self.state.finished:
            if not self.state.unscored:
                self._train_epoch()
            self._end_epoch(on_epoch)
        if self._score is None:
            self._score = self._take_score()
        return self._score

    def _train_epoch(self) -> None:
        """Do the steps that are left of the epoch."""
        self.material.model.train()
        while not self.state.unscored:
            started = time.perf_counter()
            step = next(self.state.walk)
            self.state.lost += self._step(step) * len(step.index)
            self.state.seconds += time.perf_counter() - started

    def _step(self, step: Step) -> float:
        model, optimiser = self.material.model, self.state.optimiser
        for group, rate in zip(optimiser.param_groups, self.base_rates, strict=True):
            group["lr"] = rate * step.lr_factor
        batch = self.material.data.take(step.index)
        optimiser.zero_grad()
        loss = self.rule(batch, step.settings, step.offset)
        if not math.isfinite(loss):
            raise _diverged("the loss", f"{loss} in epoch {step.epoch + 1}", step.settings.stride)
        nn.utils.clip_grad_norm_(model.parameters(), self.material.settings.clip)
        optimiser.step()
        return loss

    def _end_epoch(self, on_epoch: OnEpoch | None) -> None:
        """Score the epoch that has ended, and tell of it."""
        state, began = self.state, time.perf_counter()
        self._score = self._take_score()
        before = state.history[-1].seconds if state.history else 0.0
        row = EpochRow(
            epoch=len(state.history) + 1,
            stride=self._strides[len(state.history)],
            seconds=state.seconds,
            train_loss=state.lost / len(self.material.data),
            score=self._score.score,
        )
        state.history.append(row)
        state.lost = 0.0
        if on_epoch is not None:
            left = self._left(state.seconds - before, time.perf_counter() - began)
            on_epoch(row, left)

    def _left(self, trained: float, evaluation: float) -> float:
        """Return the seconds still expected; both arguments are those of the last epoch."""
        done = len(self.state.history)
        stride = self._strides[done - 1]
        # an epoch costs about as many samples as it sees, and each ends in an evaluation
        return sum((trained * stride / k + evaluation for k in self._strides[done:]), 0.0)

    def _take_score(self) -> Score:
        epoch = self.state.walk.epoch
        try:
            return self.material.score()
        except AnswerError as error:
            got = f"{error.got}, after epoch {epoch}"
            raise _diverged("an answer", got, self._strides[epoch - 1]) from error

    @property
    def _strides(self) -> list[int]:
        return [settings.stride for settings in self.material.course.epochs]


def draw_seed(seed: int, name: str) -> int:
    """Return the seed of one of the generators of a training.

    Args:
        seed: That of the training.
        name: Of the generator, such as `"dropout"`.
    """
    return int(stream(seed, "train", name).integers(2**63))


def _diverged(what: str, got: str, stride: int) -> ModelError:
    return ModelError(
        f"the training diverged: {what} is not finite",
        got=f"{got} at stride {stride}",
        hint="a lower learning rate (lr=0.001), or looking for extreme values in the data",
    )

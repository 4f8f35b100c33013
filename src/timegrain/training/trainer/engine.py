"""The loop over the steps of a training."""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from timegrain.core.errors import ConfigError
from timegrain.core.seeds import stream
from timegrain.models.options import shown
from timegrain.training.batch import Batch
from timegrain.training.plan.walk import Step
from timegrain.training.run import EpochRow
from timegrain.training.score import AnswerError, Score
from timegrain.training.trainer.divergence import diverged
from timegrain.training.trainer.gradient import GradientRule
from timegrain.training.trainer.material import Material
from timegrain.training.trainer.mover import Mover
from timegrain.training.trainer.state import TrainingState
from timegrain.training.truncated.long_batch import LongBatch

if TYPE_CHECKING:
    from timegrain.training.distributed.team import Team

OnEpoch = Callable[[EpochRow, float], None]


@runtime_checkable
class Watcher(Protocol):
    """Looks at a training as it goes on, and may leave epochs out at the end of one."""

    def after_step(self, step: Step, loss: float) -> None:
        """See a step that is done, and the loss before it."""
        ...

    def after_epoch(self, row: EpochRow) -> None:
        """See an epoch that is scored and in the history."""
        ...


class Trainer:
    """Goes through the steps of a training from wherever its state is.

    Args:
        material: What it works with.
        rule: How the gradient of a batch comes about.
        state: Where the training is.
        watchers: Told of every step and epoch, in this order; what keeps snapshots comes last.
        team: The processes that train together; None where this one is alone.
        whole: Gives a block that is not to be interrupted within; None where any may be.
    """

    def __init__(
        self,
        material: Material,
        rule: GradientRule,
        state: TrainingState,
        *,
        watchers: Sequence[Watcher] = (),
        team: "Team | None" = None,
        whole: Callable[[], AbstractContextManager[None]] | None = None,
    ) -> None:
        self.material, self.rule, self.state, self.team = material, rule, state, team
        self.watchers = tuple(watchers)
        self._undivided = nullcontext if whole is None else whole
        self._score: Score | None = None
        self._mover = Mover(state.optimiser, material.settings.clip)

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
            with self._undivided():
                self._take_step()

    def _take_step(self) -> None:
        started = time.perf_counter()
        step = next(self.state.walk)
        loss = self._step(step)
        self.state.lost += loss * len(step.index)
        self.state.seconds += time.perf_counter() - started
        for watcher in self.watchers:
            watcher.after_step(step, loss)

    def _step(self, step: Step) -> float:
        self._mover.begin([rate * step.lr_factor for rate in self.state.base_rates])
        batch = self.material.data.take(step.index)
        loss = self.rule(batch, step.settings, step.offset)
        if not math.isfinite(loss):
            got = f"{loss} in epoch {step.epoch + 1} at stride {step.settings.stride}"
            raise diverged("the loss", got)
        self._mover.move()
        return loss

    def _end_epoch(self, on_epoch: OnEpoch | None) -> None:
        """Score the epoch that has ended, and tell of it."""
        state, began = self.state, time.perf_counter()
        self._score, validation = self._take_score(), self._validated()
        before = state.history[-1].seconds if state.history else 0.0
        row = EpochRow(
            epoch=state.walk.epoch,
            stride=self._strides[state.walk.epoch - 1],
            seconds=state.seconds,
            train_loss=state.lost / len(self.material.data),
            score=self._score.score,
            validation=validation,
        )
        evaluation = time.perf_counter() - began
        with self._undivided():
            state.history.append(row)
            state.lost = 0.0
            if on_epoch is not None:
                on_epoch(row, self._left(state.seconds - before, evaluation))
            for watcher in self.watchers:
                watcher.after_epoch(row)

    def _left(self, trained: float, evaluation: float) -> float:
        """Return the seconds still expected; both arguments are those of the last epoch."""
        done = self.state.walk.epoch
        stride = self._strides[done - 1]
        # an epoch costs about as many samples as it sees, and each ends in an evaluation
        return sum((trained * stride / k + evaluation for k in self._strides[done:]), 0.0)

    def _validated(self) -> float | None:
        held_out = self.material.held_out
        return None if held_out is None else self._take_score(held_out).score

    def _take_score(self, part: Batch | LongBatch | None = None) -> Score:
        epoch = self.state.walk.epoch
        try:
            return self.material.score(part, team=self.team)
        except AnswerError as error:
            got = f"{error.got}, after epoch {epoch} at stride {self._strides[epoch - 1]}"
            raise diverged("an answer", got) from error

    @property
    def _strides(self) -> list[int]:
        return [settings.stride for settings in self.material.course.epochs]


def check_called(on_epoch: object) -> None:
    """Check that what is to be told of epochs can be.

    Raises:
        ConfigError: If it cannot be called.
    """
    if not (on_epoch is None or callable(on_epoch)):
        raise ConfigError(
            "on_epoch is called with a row and the seconds left",
            got=f"on_epoch={shown(on_epoch)}",
            expected="a function on_epoch(row, seconds_left)",
        )


def draw_seed(seed: int, name: str) -> int:
    """Return the seed of one of the generators of a training.

    Args:
        seed: That of the training.
        name: Of the generator, such as `"dropout"`.
    """
    return int(stream(seed, "train", name).integers(2**63))

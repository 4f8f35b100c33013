"""Early stopping: the end of a stage that no longer gets better, and the best weights."""

from typing import Any

from timegrain.training.plan.walk import Step
from timegrain.training.run import EpochRow
from timegrain.training.trainer.network_state import copied_state, set_network_state
from timegrain.training.trainer.state import TrainingState


class EarlyStopping:
    """Ends a stage after some epochs without a better validation score; keeps the best weights.

    Each stage is counted by itself, against its own best score: a stage of another stride may
    begin below the last one. When it ends early the next one goes on from the weights there are,
    at the learning rate that the plan has for it; the end of the last one ends the training. The
    weights kept are those of the best epoch of all. An equal score is no better one, but for that
    of a finer stride, whose weights have seen more: small held-out parts are soon all right.

    Args:
        state: Where the training is.
        patience: Epochs of a stage without a better score after which it ends, >= 1.
    """

    def __init__(self, state: TrainingState, patience: int) -> None:
        self.state, self.patience = state, patience
        self.best: float | None = None
        self.best_epoch = 0
        self._stage_best: float | None = None
        self._waited = 0
        self._weights: dict[str, Any] = {}

    @classmethod
    def of(cls, state: TrainingState, patience: int) -> "EarlyStopping":
        """Return one that is resumed with the state.

        Args:
            state: As above.
            patience: As above.
        """
        made = cls(state, patience)
        state.extras["stopping"] = made
        return made

    def after_step(self, step: Step, loss: float) -> None:
        """Nothing is decided within an epoch."""

    def after_epoch(self, row: EpochRow) -> None:
        """Take note of a validation score, and end the stage if it was one too many in vain."""
        walk = self.state.walk
        exhausted = self._see(row)
        ended = walk.course.epochs[walk.epoch - 1].stage
        if exhausted:
            self.state.skipped += walk.skip_stage()
        following = walk.course.epochs[walk.epoch :]
        if not following or following[0].stage != ended:
            self._stage_best, self._waited = None, 0

    def restore(self) -> None:
        """Put the best weights back into the network."""
        set_network_state(self.state.model, self._weights)

    @property
    def sentence(self) -> str:
        """Which weights were kept, and how many epochs were trained."""
        trained, planned = len(self.state.history), len(self.state.walk.course.epochs)
        return (
            f"the weights are those of epoch {self.best_epoch}, which scored best on them "
            f"({self.best:.3f}); {trained} of {planned} epochs were trained"
        )

    @property
    def warning(self) -> str:
        """That the weights kept never saw the finest stage; empty where they did."""
        finest = min(row.stride for row in self.state.history)
        kept = self._stride_of(self.best_epoch)
        if kept == finest:
            return ""
        return (
            f"The weights kept are those of a stage of stride {kept}: no epoch at stride {finest} "
            "scored as well on what was held out."
        )

    def state_dict(self) -> dict[str, Any]:
        """Return the counts, and the weights kept."""
        return {
            "best": self.best,
            "best_epoch": self.best_epoch,
            "stage_best": self._stage_best,
            "waited": self._waited,
            "weights": self._weights,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what `state_dict` returned."""
        self.best, self.best_epoch = state["best"], int(state["best_epoch"])
        self._stage_best, self._waited = state["stage_best"], int(state["waited"])
        self._weights = state["weights"]

    def _see(self, row: EpochRow) -> bool:
        score = row.validation
        if score is None:
            return False
        if self._is_best(row.stride, score):
            self.best, self.best_epoch = score, row.epoch
            self._weights = copied_state(self.state.model)
        if self._stage_best is None or score > self._stage_best:
            self._stage_best, self._waited = score, 0
        else:
            self._waited += 1
        return self._waited >= self.patience

    def _is_best(self, stride: int, score: float) -> bool:
        if self.best is None or score > self.best:
            return True
        return score == self.best and stride < self._stride_of(self.best_epoch)

    def _stride_of(self, epoch: int) -> int:
        return next(row.stride for row in self.state.history if row.epoch == epoch)

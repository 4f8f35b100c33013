"""Early stopping: the end of a stage that no longer gets better, and the best weights."""

from typing import Any

import torch
from torch import nn


class EarlyStopping:
    """Counts epochs without a better validation score, and keeps the weights of the best.

    Each stage is counted by itself, against its own best score: a stage of another stride may
    begin below the last one. The weights kept are those of the best epoch of the whole training.
    An equal score is no better one.

    Args:
        model: The network.
        patience: Epochs of a stage without a better score after which it ends, >= 1.
    """

    def __init__(self, model: nn.Module, patience: int) -> None:
        self.model, self.patience = model, patience
        self.best: float | None = None
        self.best_epoch = 0
        self._stage_best: float | None = None
        self._waited = 0
        self._weights: dict[str, torch.Tensor] = {}

    def see(self, score: float, epoch: int) -> bool:
        """Take note of the score after an epoch, and return whether its stage is to end.

        Args:
            score: Of what was held out; higher is better.
            epoch: 1 for the first.
        """
        if self.best is None or score > self.best:
            self.best, self.best_epoch = score, epoch
            self._weights = {k: v.detach().clone() for k, v in self.model.state_dict().items()}
        if self._stage_best is None or score > self._stage_best:
            self._stage_best, self._waited = score, 0
        else:
            self._waited += 1
        return self._waited >= self.patience

    def begin_stage(self) -> None:
        """Count anew."""
        self._stage_best, self._waited = None, 0

    def restore(self) -> None:
        """Put the best weights back into the network."""
        self.model.load_state_dict(self._weights)

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
        self._weights = {k: v.clone() for k, v in state["weights"].items()}

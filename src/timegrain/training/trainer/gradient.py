"""How the gradient of a batch comes about."""

from typing import Protocol

from torch import nn

from timegrain.training.batch import Batch
from timegrain.training.objective import Objective
from timegrain.training.plan.settings import StepSettings


class GradientRule(Protocol):
    """Leaves the gradient of the mean loss of a batch on the parameters, and returns that loss.

    The trainer has cleared the gradients before, and then looks whether the loss is finite, clips,
    and moves the weights.
    """

    def __call__(self, batch: Batch, settings: StepSettings, offset: int) -> float:
        """Return the mean loss.

        Args:
            batch: All samples of the chosen sequences.
            settings: What the stage asks for.
            offset: The phase.
        """
        ...


class PlainGradient:
    """One pass forward over the whole batch and one back.

    Args:
        model: The network.
        objective: What is lowered.
    """

    def __init__(self, model: nn.Module, objective: Objective) -> None:
        self.model, self.objective = model, objective

    def __call__(self, batch: Batch, settings: StepSettings, offset: int) -> float:
        """Return the mean loss of the batch; its gradient is on the parameters."""
        out, thin = settings.answer(self.model, batch, offset)
        loss = self.objective.loss(out, thin)
        loss.backward()
        return float(loss.detach())

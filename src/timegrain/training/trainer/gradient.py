"""How the gradient of a batch comes about."""

import math
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from torch import nn

from timegrain.training.batch import Batch
from timegrain.training.objective import Objective
from timegrain.training.plan.settings import StepSettings
from timegrain.training.score import device_of
from timegrain.training.trainer.precision import Precision
from timegrain.training.truncated.long_batch import LongBatch

if TYPE_CHECKING:
    import torch


@runtime_checkable
class GradientRule(Protocol):
    """Leaves the gradient of the mean loss of a batch on the parameters, and returns that loss.

    The trainer has cleared the gradients before, and then looks whether the loss is finite, clips,
    and moves the weights.
    """

    def __call__(self, batch: Batch | LongBatch, settings: StepSettings, offset: int) -> float:
        """Return the mean loss.

        Args:
            batch: The chosen sequences, with all samples; unread where they are long.
            settings: What the stage asks for.
            offset: The phase.
        """
        ...


class PlainGradient:
    """One pass forward over the whole batch and one back.

    Where float16 overflows, the batch is done again at half the scale, so that no step is lost.

    Args:
        model: The network.
        objective: What is lowered.
        optimiser: Of its parameters; only a scaled precision looks at it.
        precision: Of the pass.
    """

    def __init__(
        self,
        model: nn.Module,
        objective: Objective,
        optimiser: "torch.optim.Optimizer | None" = None,
        precision: Precision | None = None,
    ) -> None:
        self.model, self.objective = model, objective
        self.optimiser, self.precision = optimiser, precision or Precision()

    def __call__(self, batch: Batch | LongBatch, settings: StepSettings, offset: int) -> float:
        """Return the mean loss of the batch; its gradient is on the parameters."""
        precision = self.precision
        held = batch.whole() if isinstance(batch, LongBatch) else batch
        while True:
            with precision.autocast(device_of(self.model)):
                out, thin = settings.answer(self.model, held, offset)
            loss = self.objective.loss(precision.widened(out), thin)
            precision.back(loss)
            mean = float(loss.detach())
            if self.optimiser is None or not math.isfinite(mean):
                return mean
            if precision.settle(self.optimiser):
                return mean
            self.model.zero_grad()

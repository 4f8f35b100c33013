"""The gradient of a batch of which each process takes a share."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from timegrain.core.seeds import stream
from timegrain.training.batch import Batch
from timegrain.training.batch_norms import running_statistics
from timegrain.training.distributed.team import Team
from timegrain.training.plan.settings import StepSettings
from timegrain.training.score import device_of
from timegrain.training.trainer.accumulation import answers
from timegrain.training.trainer.gradient import GradientRule
from timegrain.training.truncated.long_batch import LongBatch


class SharedGradient:
    """The gradient of the mean loss of a whole batch, each process with neighbouring sequences.

    A share weighs as much as it has answers: sequences, or samples where one is asked if there is
    a target for each; that of a process without a sequence weighs nothing. Gradients are added up
    here and not by `DistributedDataParallel`, which takes plain means of equal shares, wants every
    process to go through the network at every step, and hides the parts of the network that a plan
    enters by themselves. Batch norms see the share of their process, and keep the statistics of the
    first one, as with `DistributedDataParallel`.

    Args:
        model: The network.
        rule: How the gradient of a share comes about.
        team: The processes.
        seed: Of dropout, which draws for each process and step anew.
        number: Returns the number of the step under way.
    """

    def __init__(
        self,
        model: nn.Module,
        rule: GradientRule,
        team: Team,
        *,
        seed: int,
        number: Callable[[], int],
    ) -> None:
        self.model, self.rule, self.team = model, rule, team
        self.seed, self.number = seed, number

    def __call__(self, batch: Batch | LongBatch, settings: StepSettings, offset: int) -> float:
        """Return the mean loss of the batch; its gradient is on the parameters of all processes."""
        key = ("train", "dropout", self.team.rank, self.number())
        torch.default_generator.manual_seed(int(stream(self.seed, *key).integers(2**63)))
        index = self.team.share(len(batch))
        loss, count = 0.0, 0
        if len(index):
            mine = batch.take(index)
            loss = self.rule(mine, settings, offset)
            count = answers(mine, settings.stride, offset, settings.decimator)
        parameters = [p for p in self.model.parameters() if p.requires_grad]
        # what is said first: how many answers, their loss, and which parameters have a gradient
        said = torch.tensor(
            [count, loss * count, *(float(p.grad is not None) for p in parameters)],
            dtype=torch.float64,
            device=device_of(self.model),
        )
        self.team.add_up(said)
        total, lost, *reached = said.tolist()
        total = max(total, 1)
        chosen = [p for p, processes in zip(parameters, reached, strict=True) if processes]
        self._add_up(chosen, count / total)
        self._share_statistics()
        return float(lost / total)

    def _share_statistics(self) -> None:
        """Keep the first process's running statistics of batch norms in all."""
        with torch.no_grad():
            for values in running_statistics(self.model):
                whole = values.contiguous()
                self.team.spread(whole)
                values.copy_(whole)

    def _add_up(self, parameters: list[nn.Parameter], weight: float) -> None:
        """Put the weighted sum over the processes in the place of each one's gradients."""
        kinds: dict[Any, list[nn.Parameter]] = {}
        for parameter in parameters:
            kinds.setdefault((parameter.dtype, parameter.device), []).append(parameter)
        for alike in kinds.values():
            flat = torch.cat([_gradient(p).flatten() * weight for p in alike])
            self.team.add_up(flat)
            pieces = flat.split([p.numel() for p in alike])
            for parameter, piece in zip(alike, pieces, strict=True):
                parameter.grad = piece.view_as(parameter).clone()


def _gradient(parameter: nn.Parameter) -> Tensor:
    return torch.zeros_like(parameter) if parameter.grad is None else parameter.grad

"""Whether a plan can be followed on a task, checked before it is."""

from typing import TYPE_CHECKING

from torch import nn

from timegrain.core.errors import ConfigError
from timegrain.core.outcome import Outcome
from timegrain.training.decimators import decimator_fit
from timegrain.training.plan.plan import SubsamplingPlan
from timegrain.training.plan.settings import check_embedding

if TYPE_CHECKING:
    from timegrain.data.task import Task


def check_plan(model: nn.Module, task: "Task", plan: SubsamplingPlan) -> None:
    """Check that a plan can be followed.

    Args:
        model: The network.
        task: The task.
        plan: The plan.

    Raises:
        ConfigError: If a training sequence is too short for a stage's filter.
        ModelError: If samples are to be dropped after an embedding that cannot be entered.
    """
    import torch

    if plan.place == "embedding" and plan.subsamples:
        check_embedding(model)
    lengths = torch.as_tensor(task.train.lengths)
    for stage in plan.stages:
        fit = decimator_fit(lengths, stage.stride, stage.decimator)
        if fit.outcome is not Outcome.MEASURED:
            raise ConfigError(
                f"the sequences of {task.name} are too short for this plan",
                got=fit.reason,
                expected=f"{fit.shortest:,} samples or more",
                hint="longer sequences, or decimator='phase' or 'mean'",
            )

"""Whether a network can be trained in parts by a plan."""

from torch import nn

from timegrain.core.errors import ConfigError
from timegrain.training.plan.plan import SubsamplingPlan
from timegrain.training.truncated.carrying import as_carrying


def check_truncation(model: nn.Module, plan: SubsamplingPlan) -> None:
    """Check that a network can be trained through a chunk of time at a time.

    Args:
        model: The network.
        plan: Its stages.

    Raises:
        ConfigError: If samples are to be dropped after an embedding, which has them all in memory.
        ModelError: If the network cannot go on from a state.
    """
    as_carrying(model)
    if plan.subsamples and plan.place == "embedding":
        raise ConfigError(
            "a plan that drops samples after the embedding needs whole sequences",
            got="place='embedding' and tbptt",
            hint="place='input'",
        )

"""A plan with no more stages than there are epochs."""

from dataclasses import replace

from timegrain.models.options import whole
from timegrain.training.plan.plan import SubsamplingPlan


def shortened(plan: SubsamplingPlan, epochs: int) -> SubsamplingPlan:
    """Return a plan without its first, coarsest stages, so that each stage has an epoch.

    Args:
        plan: From the coarsest stride to 1.
        epochs: Of the training.

    Raises:
        ConfigError: If this is no whole number above 0.

    Example:
        >>> shortened(SubsamplingPlan.parse("8:1,4:1,2:1,1:1"), 2).strides
        (2, 1)
    """
    return replace(plan, stages=plan.stages[-whole("epochs", epochs, least=1) :])


def too_few(stages: int, plan: SubsamplingPlan) -> tuple[str, ...]:
    """Return the sentence that stages were left out, if they were.

    Args:
        stages: Of the plan before.
        plan: What is left of it.
    """
    if len(plan.stages) == stages:
        return ()
    return (
        f"the coarsest {stages - len(plan.stages)} of {stages} stages were left out, so that each "
        "has an epoch",
    )

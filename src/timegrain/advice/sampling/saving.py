"""What training from coarse to fine would cost, estimated from the strides alone."""

from collections.abc import Sequence


def cost_share(strides: Sequence[int], coarsest: int) -> float:
    """Return the cost of equal epochs at every stride from the coarsest to 1, as a share of full.

    An epoch at stride k is taken to cost 1/k of one at stride 1, so this is an estimate: fixed
    costs of a step make it too low, and the score at the end is not looked at.

    Args:
        strides: Those that were swept; the ones up to `coarsest` are the stages, with 1.
        coarsest: The advised stride.

    Example:
        >>> cost_share((2, 4, 8, 16), 4)
        0.5833333333333334
    """
    stages = sorted({1, *(k for k in strides if k <= coarsest)})
    return sum(1 / k for k in stages) / len(stages)

"""Scores over networks and trajectories, their changes from tau 1, and intervals."""

import numpy as np
from jaxtyping import Float64

from timegrain.stats.bootstrap import influences, standard_error
from timegrain.study.presets.paper_refinement.result import RefinementCell
from timegrain.study.presets.paper_refinement.unit import Losses


def refinement_cells(
    task: str, model: str, losses: list[Losses], taus: tuple[float, ...]
) -> list[RefinementCell]:
    """Return a cell a tau and telling.

    Args:
        task: Name of the system.
        model: Name of the layer.
        losses: One a seed, on the same trajectories.
        taus: As the losses have them.
    """
    possible, at_one = losses[0].possible, taus.index(1.0)
    cells = []
    for told in (True, False):
        lost = np.array([one.told if told else one.untold for one in losses])
        for j, tau in enumerate(taus):
            ratio, low, high = pooled(lost[:, j], possible)
            change, change_low, change_high = (
                (None, None, None) if tau == 1 else pooled(lost[:, at_one] - lost[:, j], possible)
            )
            cells.append(
                RefinementCell(
                    task=task,
                    model=model,
                    tau=tau,
                    told=told,
                    score=1 - ratio,
                    low=None if high is None else 1 - high,
                    high=None if low is None else min(1 - low, 1.0),  # no R^2 is above
                    by_seed=tuple(float(1 - s.sum() / possible.sum()) for s in lost[:, j]),
                    change=change,
                    change_low=change_low,
                    change_high=change_high,
                )
            )
    return cells


def pooled(
    above: Float64[np.ndarray, "seed case"], below: Float64[np.ndarray, " case"]
) -> tuple[float, float | None, float | None]:
    r"""Return the mean over seeds of `sum above / sum below`, with its 95 % interval.

    The interval is for other trajectories and, with two seeds or more, for other networks trained
    alike: the squared errors of both are added, which counts what is particular to a network on a
    trajectory twice, and the degrees of freedom are Welch's.

    Args:
        above: Numerators.
        below: Denominators, > 0 in sum.

    Math:
        `v_1` is the linearised variance of the ratio of sums over cases of the mean over seeds,
        `v_2` the variance between the seeds' ratios over their number; the interval is the mean
        `+- t sqrt(v_1 + v_2)`, `t` of `(v_1 + v_2)^2 / (v_1^2 / (n - 1) + v_2^2 / (s - 1))` degrees
        of freedom.

    Source:
        Welch, The generalization of Student's problem when several different population variances
        are involved (Biometrika 34, 1947).

    Example:
        >>> pooled(np.array([[1.0, 1.0], [3.0, 3.0]]), np.array([2.0, 2.0]))[0]
        1.0
    """
    from scipy.special import stdtrit

    mean = above.mean(axis=0)[:, None, None]
    n, seeds = mean.size, len(above)
    psi = influences(mean, below[:, None, None])
    value = float(above.sum(axis=1).mean() / below.sum())
    if n < 2:
        return value, None, None
    cases = float(standard_error(psi, np.full((1, 1), n))[0, 0]) ** 2
    freedom = cases**2 / (n - 1)
    between = 0.0
    if seeds > 1:
        between = float(np.var(above.sum(axis=1) / below.sum(), ddof=1)) / seeds
        freedom += between**2 / (seeds - 1)
    total = cases + between
    if total == 0:
        return value, value, value
    half = float(stdtrit(total**2 / freedom, 0.975)) * total**0.5
    return value, value - half, value + half

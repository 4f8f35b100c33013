"""A difference between trained networks, with the noise it has to stand out from."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_NORMAL = 1.959963984540054


@dataclass(frozen=True, kw_only=True)
class Contrast:
    """A difference and its 95 % margin.

    Args:
        value: The difference.
        margin: Half the 95 % interval; None when one seed leaves the noise unknown.
        seeds: The fewest seeds behind one of its groups.
    """

    value: float
    margin: float | None
    seeds: int

    @property
    def sign(self) -> bool | None:
        """True if above the noise, False if below minus the noise, None if within it."""
        if self.margin is None or abs(self.value) <= self.margin:
            return None
        return self.value > 0

    def __str__(self) -> str:
        if self.margin is None:
            return f"{self.value:+.2f} with unknown noise"
        return f"{self.value:+.2f} ± {self.margin:.2f}"


def contrast(
    groups: Sequence[Sequence[float]], weights: Sequence[float], *, test_variance: float
) -> Contrast:
    r"""Return a weighted sum of group means with its margin.

    Args:
        groups: Scores, or differences of scores, one number a seed in each group.
        weights: Of the group means, such as (1, -1).
        test_variance: Variance of the sum due to the finite test part, which seeds do not show.

    Math:
        `margin^2 = t^2 s^2 sum w_g^2 / n_g + 1.96^2 v`: s^2 pools the variance between seeds
        within groups, t is Student's 97.5 % point at `sum (n_g - 1)` degrees of freedom, v the
        test variance. Taking networks scored on the same test sequences as independent makes the
        margin wider than needed, since their errors go together.

    Example:
        >>> str(contrast([(0.9, 0.8), (0.5, 0.5)], (1, -1), test_variance=0.0))
        '+0.35 ± 0.22'
    """
    from scipy.special import stdtrit

    means = [float(np.mean(g)) for g in groups]
    value = sum(w * m for w, m in zip(weights, means, strict=True))
    seeds = min(len(g) for g in groups)
    freedom = sum(len(g) - 1 for g in groups)
    if seeds < 2:
        return Contrast(value=value, margin=None, seeds=seeds)
    squares = sum(float(np.sum((np.asarray(g) - np.mean(g)) ** 2)) for g in groups)
    spread = squares / freedom * sum(w * w / len(g) for w, g in zip(weights, groups, strict=True))
    t = float(stdtrit(freedom, 0.975))
    margin = math.sqrt(t * t * spread + _NORMAL**2 * test_variance)
    return Contrast(value=value, margin=margin, seeds=seeds)


def interval_variance(low: float | None, high: float | None) -> float:
    """Return the variance that a 95 % interval stands for; 0 without an interval."""
    if low is None or high is None:
        return 0.0
    return ((high - low) / (2 * _NORMAL)) ** 2

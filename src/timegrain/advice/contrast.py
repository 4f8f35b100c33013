"""A difference between trained networks, with the noise it has to stand out from."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from timegrain.stats.normal import Z95


@dataclass(frozen=True, kw_only=True)
class Contrast:
    """A difference and its 95 % margin.

    Args:
        value: The difference.
        margin: Half the 95 % interval; None when one seed, or one group of test sequences, leaves
            the noise unknown.
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
        test_variance: Variance of the sum due to the finite test part, which seeds do not show;
            from `case_variance`; infinite where that is unknown.

    Math:
        `margin^2 = t^2 s^2 sum w_g^2 / n_g + 1.96^2 v`: s^2 pools the variance between seeds
        within groups, t is Student's 97.5 % point at `sum (n_g - 1)` degrees of freedom, v the
        test variance.

    Example:
        >>> str(contrast([(0.9, 0.8), (0.5, 0.5)], (1, -1), test_variance=0.0))
        '+0.35 ± 0.22'
    """
    from scipy.special import stdtrit

    means = [float(np.mean(g)) for g in groups]
    value = sum(w * m for w, m in zip(weights, means, strict=True))
    seeds = min(len(g) for g in groups)
    freedom = sum(len(g) - 1 for g in groups)
    if seeds < 2 or not math.isfinite(test_variance):
        return Contrast(value=value, margin=None, seeds=seeds)
    squares = sum(float(np.sum((np.asarray(g) - np.mean(g)) ** 2)) for g in groups)
    spread = squares / freedom * sum(w * w / len(g) for w, g in zip(weights, groups, strict=True))
    t = float(stdtrit(freedom, 0.975))
    margin = math.sqrt(t * t * spread + Z95**2 * test_variance)
    return Contrast(value=value, margin=margin, seeds=seeds)


class Scored(Protocol):
    """Anything with a score of a test part."""

    @property
    def low(self) -> float | None:
        """Lower end of the 95 % interval of the score."""

    @property
    def high(self) -> float | None:
        """Upper end."""

    @property
    def correct(self) -> str | None:
        """`"1"` for each right answer and `"0"` for each wrong one."""


def case_variance(
    groups: Sequence[Sequence[Scored]], weights: Sequence[float], *, grouped: bool = False
) -> float:
    """Return the variance of a weighted sum of mean scores that the finite test part causes.

    Args:
        groups: Scores of one test part, one a seed in each group.
        weights: Of the group means.
        grouped: Whether test sequences belong together, so that answers are not independent.

    Math:
        With every answer known, each test sequence has its own value of the sum, and the result is
        their variance over their number: what networks get wrong together cancels. Otherwise, and
        where test sequences belong together, the scores are taken as independent between networks,
        with the variances of their intervals, which is wider; infinite where scores of sequences
        that belong together have no interval.
    """
    if grouped:
        unknown = any(scored.low is None for group in groups for scored in group)
        return math.inf if unknown else _apart(groups, weights)
    answers = [[scored.correct for scored in group] for group in groups]
    lengths = {0 if text is None else len(text) for group in answers for text in group}
    if len(lengths) == 1 and min(lengths) >= 2:
        each = sum(
            w * np.mean([[mark == "1" for mark in text or ""] for text in group], axis=0)
            for w, group in zip(weights, answers, strict=True)
        )
        return float(np.var(each, ddof=1)) / min(lengths)
    return _apart(groups, weights)


def _apart(groups: Sequence[Sequence[Scored]], weights: Sequence[float]) -> float:
    return sum(
        w * w * sum(_interval_variance(s.low, s.high) for s in group) / len(group)
        for w, group in zip(weights, groups, strict=True)
    )


def _interval_variance(low: float | None, high: float | None) -> float:
    """Return the variance that a 95 % interval stands for; 0 without an interval."""
    if low is None or high is None:
        return 0.0
    return ((high - low) / (2 * Z95)) ** 2

"""The interval of a score, over cases or over units of cases that are drawn together."""

import math

import numpy as np
from jaxtyping import Float64, Int64

from timegrain.stats.bootstrap import ratio_intervals
from timegrain.stats.normal import Z95

Interval = tuple[float | None, float | None]


def score_interval(
    lost: Float64[np.ndarray, " case"],
    possible: Float64[np.ndarray, " case"],
    *,
    of: Int64[np.ndarray, " case"] | None = None,
    one_answer: bool,
    share: bool,
) -> Interval:
    """Return the 95 % interval of `1 - sum lost / sum possible`; None with fewer than two units.

    Of independent answers, one a case, it is Wilson's. Else it is Student's t times the error of a
    ratio of sums over units (the jackknife's below 60 units, else a bootstrap's), and over units of
    several cases never narrower than if the cases were independent: a few units that agree by
    chance do not make a score sure.

    A share of right answers over `n` units has no lower end above `n / (n + z^2)` and no upper end
    below `z^2 / (n + z^2)`, with `z = 1.96`: Wilson's for `n` units that are all right, or all
    wrong, as if all answers of a unit were alike. The few units that err hardly show how often
    others do, and no score is surer than a perfect one.

    Args:
        lost: As from `Objective.shortfall`.
        possible: As from `Objective.shortfall`.
        of: Number of each case's unit, from 0 without gaps; None where each stands for itself.
        one_answer: Whether each case is one right or wrong answer.
        share: Whether right and wrong answers are counted, one a case or several.

    Note:
        In simulations of 12 and of 60 groups of 20 answers, of which .6 to .99 are right and groups
        agree by .05 to .8, it holds the true share in 93 to 100 % of cases.

    Source:
        Wilson, Probable Inference, the Law of Succession, and Statistical Inference (Journal of
        the American Statistical Association 1927).

    Example:
        >>> none = np.zeros(240)
        >>> low, high = score_interval(
        ...     none, none + 1, of=np.arange(240) // 20, one_answer=True, share=True
        ... )
        >>> round(low, 3), high
        (0.758, 1.0)
    """
    if of is None and one_answer:
        return _wilson(lost)
    if of is None:
        n, low, high = len(lost), *_ratio(lost, possible)
    else:
        n = int(of.max()) + 1
        low, high = _ratio(np.bincount(of, weights=lost), np.bincount(of, weights=possible))
        alone = _wilson(lost) if one_answer else _ratio(lost, possible)
        if low is not None and high is not None and alone[0] is not None and alone[1] is not None:
            low, high = min(low, alone[0]), max(high, alone[1])
    if low is None or high is None or not share:
        return low, high
    bound = Z95**2 / (n + Z95**2)
    return max(min(low, 1.0 - bound), 0.0), min(max(high, bound), 1.0)


def _wilson(lost: Float64[np.ndarray, " case"]) -> tuple[float, float]:
    n, p = len(lost), 1.0 - float(lost.mean())
    middle = (p + Z95**2 / (2 * n)) / (1 + Z95**2 / n)
    half = Z95 * math.sqrt(p * (1 - p) / n + Z95**2 / (4 * n * n)) / (1 + Z95**2 / n)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def _ratio(lost: Float64[np.ndarray, " unit"], possible: Float64[np.ndarray, " unit"]) -> Interval:
    if len(lost) < 2:
        return None, None
    ends = ratio_intervals(lost[:, None, None], possible[:, None, None], seed=0)
    return 1.0 - float(ends.high[0, 0]), 1.0 - float(ends.low[0, 0])

"""How many more answers a stride may cost than it cost the cases at hand."""

import numpy as np
from jaxtyping import Bool, Float64

# the other end of the share is 0 where nothing is lost, which leaves 5 % for this one
_LEVEL = 0.95


def unseen_losses(
    whole: Bool[np.ndarray, "#repeat case"],
    part: Bool[np.ndarray, "repeat case"],
    *,
    weights: Float64[np.ndarray, " case"],
    fresh: float = 1.0,
) -> float:
    """Return the upper end of the share of answers that a stride loses, less the share it lost.

    Draws of cases none of which lost its answer are all alike, and so are those of a few cases: the
    interval that they make has no width, however few there are. The exact binomial bound has one;
    with nothing lost it is the rule of three. It takes cases for independent, since losses that did
    not happen do not show how they go together.

    Args:
        whole: Whether an answer is right with all samples.
        part: Whether it is at the stride.
        weights: How much each case counts in the score; they sum to 1.
        fresh: Share of a case's samples that are not the next case's, too.

    Returns:
        A share, the distance of the 95 % bound from the estimate.

    Source:
        Clopper and Pearson, The use of confidence or fiducial limits (Biometrika 1934); Kish,
        Survey Sampling (1965), section 11.7, for the number of cases of unequal weights.

    Example:
        >>> right = np.ones((1, 11), dtype=bool)
        >>> round(unseen_losses(right, right, weights=np.full(11, 1 / 11)), 3)
        0.238
    """
    from scipy.special import betaincinv

    lost = float(((whole & ~part).mean(axis=0) * weights).sum())
    n = max(fresh / float((weights**2).sum()), 1.0)
    if lost >= 1:
        return 0.0
    return float(betaincinv(lost * n + 1, (1 - lost) * n, _LEVEL)) - lost


def score_weights(y: np.ndarray, *, balanced: bool) -> Float64[np.ndarray, " case"]:
    """Return how much each case counts in a score, summing to 1.

    Args:
        y: Numbers of classes, each of which occurs.
        balanced: Whether every class counts alike, as in all scores but accuracy.

    Example:
        >>> score_weights(np.array([0, 0, 1]), balanced=True).tolist()
        [0.25, 0.25, 0.5]
    """
    if not balanced:
        return np.full(len(y), 1 / len(y))
    counts = np.bincount(y)
    return 1 / (len(counts) * counts[y])

"""Area under the receiver operating characteristic."""

import numpy as np
from jaxtyping import Float64, Int

from timegrain.core.errors import LayoutError
from timegrain.stats.scores.weighting import Weights, as_given, as_weights, mean_of_known, ratio


def auroc(
    y: Int[np.ndarray, " case"],
    answers: Float64[np.ndarray, "case klass"],
    *,
    weights: Weights = None,
) -> float | Float64[np.ndarray, " replicate"]:
    r"""Return the mean over classes of the area under the ROC curve, one class against the rest.

    It is the chance that a case of the class gets a larger value than one of the rest, ties
    counting half. Classes that no case or every case has are left out. Trivial is .5, perfect 1.

    Args:
        y: Numbers of classes, `(case,)`.
        answers: One value a class, the larger the likelier, `(case, klass)`; with two columns only
            their difference counts.
        weights: How often each replicate draws each case, `(replicate, case)`; None for once each.

    Raises:
        LayoutError: If there is not one row a case, or a class without a column.

    Source:
        Hanley and McNeil, The Meaning and Use of the Area under a ROC Curve (Radiology 1982);
        one against the rest: Provost and Domingos, CeDER working paper IS-00-04 (2000), unweighted.

    Example:
        >>> scores = np.array([0.1, 0.4, 0.4, 0.8])
        >>> auroc(np.array([0, 0, 1, 1]), np.stack([-scores, scores], axis=1))
        0.875
    """
    if answers.ndim != 2 or len(answers) != len(y) or y.max(initial=0) >= answers.shape[1]:
        raise LayoutError(
            "answers do not fit the targets",
            got=f"shape {answers.shape}",
            expected=f"({len(y)}, at least {int(y.max(initial=0)) + 1} classes)",
        )
    drawn = as_weights(len(y), weights)
    if answers.shape[1] == 2:
        return as_given(_area(y == 1, answers[:, 1] - answers[:, 0], drawn), weights)
    areas = [_area(y == c, answers[:, c], drawn) for c in range(answers.shape[1])]
    return as_given(mean_of_known(np.stack(areas, axis=1)), weights)


def _area(
    member: np.ndarray, value: np.ndarray, weights: Float64[np.ndarray, "replicate case"]
) -> Float64[np.ndarray, " replicate"]:
    order = np.argsort(value, kind="stable")
    ranked, inside = weights[:, order], member[order].astype(np.float64)
    # sums within each run of equal values
    starts = np.flatnonzero(np.concatenate([[True], np.diff(value[order]) > 0]))
    ours = np.add.reduceat(ranked * inside, starts, axis=1)
    others = np.add.reduceat(ranked * (1 - inside), starts, axis=1)
    below = np.cumsum(others, axis=1) - others / 2
    return ratio((ours * below).sum(axis=1), ours.sum(axis=1) * others.sum(axis=1))

"""How rough an input is, which limits the order that any model shows on it."""

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.model.convergence import NO_LIMIT
from timegrain.core.outcome import Outcome

ROUGH = 1.0  # at lower orders the input, not a rule of order 1, decides over the differences
LOW = 0.9  # an order below this is none of a rule, whose orders are 1 and more
UNSETTLED = NO_LIMIT | {Outcome.PRE_ASYMPTOTIC}
_ROUNDING = 1e3  # spacings; misses below are rounding, and the signal is smooth to all appearance
_FILTER = "decimator='fir', which low-passes a recording for each grid as a slower recorder would"
_SMOOTH = "a smooth signal, such as signal='sines', for the order of the model itself"


def own_order(values: Float64[np.ndarray, "time channel"]) -> float | None:
    r"""Return at what order a signal converges to itself at its two finest steps.

    A sample in the middle of two neighbours misses their mean by an amount that shrinks with the
    step: as its square where the signal is twice differentiable, as its root for Brownian motion
    and for jumps, not at all for noise and for quantisation.

    Args:
        values: On the finest grid.

    Returns:
        The order, of all channels together, each in its own standard deviations; None where the
        signal is too short, or its misses are rounding.

    Math:
        `s = log2(m(2h) / m(h))`, `m(h)^2` the mean of `(u(t) - (u(t-h) + u(t+h)) / 2)^2`. The law
        of the data (`task_continuity`) has `D(k) ~ k^q` with `q = 2 s`. A sum over n steps of a
        held input misses by about `h h^s sqrt(n)`, which is order `s + 1/2`, where the misses of
        different steps have nothing to do with each other, and by order s where one decides.

    Example:
        >>> t = np.linspace(0, 6, 257)[:, None]
        >>> rng = np.random.default_rng(0)
        >>> [round(own_order(x)) for x in (np.sin(t), rng.normal(size=(257, 1)))]
        [2, 0]
    """
    if len(values) < 5:
        return None
    size = values.std(axis=0)
    eps = float(np.finfo(np.float64).eps) * np.abs(values).max(axis=0)
    varies = size > _ROUNDING * eps
    if not varies.any():
        return None
    fine, coarse = (_misses(values[::k, varies] / size[varies]) for k in (1, 2))
    if fine <= _ROUNDING * float((eps[varies] / size[varies]).max()):
        return None
    return math.log2(coarse / fine) if coarse > 0 else None


def is_rough(order: float | None, outcome: Outcome, shown: float | None) -> bool:
    """Return whether an input is rough enough to be why a ladder did not settle, or settled low.

    Args:
        order: The input's own.
        outcome: Of the ladder.
        shown: The order that it shows, if any.
    """
    if order is None or order >= ROUGH:
        return False
    low = outcome is Outcome.CONVERGES and shown is not None and shown < LOW
    return low or outcome in UNSETTLED


def roughness_words(order: float, *, refine: str) -> str:
    """Return a sentence on what an input's roughness does to the order that a model shows.

    Args:
        order: The input's own.
        refine: Where its finer samples come from.
    """
    low, said = max(order, 0.0), round(order, 1) + 0.0  # a zero without a sign
    return (
        f"The input is rough: at its finest steps it converges to itself at order {said:.1f} "
        f"({_alike(order)}; smooth signals at 2), so that a model shows an order of about "
        f"{low:.1f} to {low + 0.5:.1f} on it, whatever its own, and one that does not settle. "
        f"Try {roughness_cure(refine)}."
    )


def roughness_cure(refine: str) -> str:
    """Return what to do about a rough input, in a clause."""
    return f"{_FILTER}; or {_SMOOTH}" if refine == "recorded" else _SMOOTH


def median_order(orders: Sequence[float | None]) -> float | None:
    """Return the median over pairs of those known."""
    known = [order for order in orders if order is not None]
    return float(np.median(known)) if known else None


def _misses(values: Float64[np.ndarray, "time channel"]) -> float:
    middle = values[1:-1] - (values[:-2] + values[2:]) / 2
    return float(np.sqrt(np.mean(middle**2)))


def _alike(order: float) -> str:
    if order < 0.25:
        return "as noise and quantisation do, at 0"
    if order < 0.75:
        return "as Brownian motion and jumps do, at 1/2"
    return "between Brownian motion, at 1/2, and kinks, at 3/2"

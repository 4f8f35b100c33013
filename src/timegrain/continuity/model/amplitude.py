"""The amplitude law: how the error's constant grows with the size of the input."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.model.convergence import NEAR, Convergence, last_order, usable
from timegrain.continuity.model.medians import median_interval, median_or_none
from timegrain.stats.orders import refinement_constant


@dataclass(frozen=True, kw_only=True)
class AmplitudeLaw:
    """The slope of log C on log amplitude.

    Args:
        exponent: Median over pairs; None if there is none.
        interval: Its 95 % interval; None if there is none.
        constants: Median over pairs of C at each amplitude; None where the law does not hold.
        n_pairs: Pairs that have a slope.
        reason: Why there is no exponent; empty if there is one.
    """

    exponent: float | None
    interval: tuple[float, float] | None
    constants: tuple[float | None, ...]
    n_pairs: int
    reason: str


def amplitude_law(
    ladders: Sequence[Sequence[Convergence]],
    amplitudes: Sequence[float],
    *,
    theory: int | None,
    eps: float,
) -> AmplitudeLaw:
    """Return the amplitude law that pairs show.

    Args:
        ladders: What each pair shows at each amplitude.
        amplitudes: Factors of the input.
        theory: Order p of the law `error = C tau^p`; None if it is not known.
        eps: Relative spacing of the numbers the model computes with.
    """
    if theory is None:
        blank = (None,) * len(amplitudes)
        reason = "no order is declared and none near a whole number was observed"
        return AmplitudeLaw(exponent=None, interval=None, constants=blank, n_pairs=0, reason=reason)
    table = np.array(
        [[amplitude_constant(x, order=theory, eps=eps) for x in pair] for pair in ladders]
    )
    slopes = np.array([amplitude_slope(amplitudes, row) for row in table])
    constants = tuple(median_or_none(column) for column in table.T)
    usable_amplitudes = sum(np.isfinite(column).mean() >= 0.5 for column in table.T)
    reason = ""
    if len(amplitudes) < 2:
        reason = "one amplitude was measured; amplitudes=(0.1, 1, 10) gives a law"
    elif usable_amplitudes < 2:
        reason = f"fewer than two amplitudes follow error = C tau^{theory}"
    return AmplitudeLaw(
        exponent=None if reason else median_or_none(slopes),
        interval=None if reason else median_interval(slopes),
        constants=constants,
        n_pairs=int(np.isfinite(slopes).sum()),
        reason=reason,
    )


def amplitude_constant(ladder: Convergence, *, order: int, eps: float) -> float:
    """Return C of the law `error = C tau^order` at one amplitude; NaN if the law does not hold.

    Args:
        ladder: What one pair shows.
        order: Declared order.
        eps: Relative spacing of the numbers the model computes with.

    Returns:
        From the finest difference clear of rounding; NaN where the last order is more than .3 away
        from `order`.
    """
    last = last_order(ladder.differences, eps)
    if not abs(last - order) <= NEAR:
        return float("nan")
    j = usable(ladder.differences, eps) - 1
    return refinement_constant(float(ladder.differences[j]), 2.0**-j, float(order))


def amplitude_slope(
    amplitudes: Sequence[float] | Float64[np.ndarray, " amplitude"],
    constants: Sequence[float] | Float64[np.ndarray, " amplitude"],
) -> float:
    """Return the least-squares slope of log C on log amplitude; NaN with fewer than two constants.

    Args:
        amplitudes: Factors of the input, > 0.
        constants: C at each; NaN where the law does not hold.

    Example:
        >>> round(amplitude_slope([0.1, 1.0, 10.0], [0.2, float("nan"), 20.0]), 6)
        1.0
    """
    a, c = np.log(np.asarray(amplitudes)), np.asarray(constants, dtype=np.float64)
    known = np.isfinite(c) & (c > 0)
    if known.sum() < 2:
        return float("nan")
    x, y = a[known] - a[known].mean(), np.log(c[known])
    return float(x @ y / (x @ x))

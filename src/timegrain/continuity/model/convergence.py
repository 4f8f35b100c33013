"""What the outputs of one ladder say: differences, orders, limit, errors and how it ended."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.model.memory import is_memoryless, memory_collapses
from timegrain.core.outcome import Outcome
from timegrain.stats.gci import clipped_order
from timegrain.stats.norms import time_norm
from timegrain.stats.orders import observed_orders, richardson_limit, turning_cosines

NEAR = 0.3  # orders closer than this agree
FLOOR = 100  # differences below so many eps are rounding

Levels = Float64[np.ndarray, " level"]
Differences = Float64[np.ndarray, " difference"]
Turns = Float64[np.ndarray, " turn"]
NO_LIMIT = frozenset({Outcome.DIVERGES, Outcome.STALLS, Outcome.OSCILLATES})


@dataclass(frozen=True, kw_only=True)
class Convergence:
    """One ladder of J+1 runs.

    Args:
        differences: `d_j = ||F_j - F_{j+1}|| / ||F_J||`, `(J,)`.
        cosines: Cosine between successive changes, `(J-1,)`.
        errors: `||F_j - F*|| / ||F*||`, `(J+1,)`, F* the reference if there is one, else the
            Richardson limit, or what all but the coarsest level agree on; NaN without any.
        limit_shift: Relative change of the limit when the finest level is left out; NaN if unknown.
        limit_gap: Relative distance of the Richardson limit from the reference; NaN without both.
    """

    differences: Differences
    cosines: Turns
    errors: Levels
    limit_shift: float
    limit_gap: float = float("nan")


def converge(
    outputs: Float64[np.ndarray, "level time channel"],
    *,
    norm: str,
    declared: int | None,
    eps: float,
    reference: Float64[np.ndarray, "time channel"] | None = None,
) -> Convergence:
    """Return what one ladder says.

    Args:
        outputs: Outputs on every level at the times of level 0.
        norm: `"sup"` or `"rms"`.
        declared: Declared order, if any.
        eps: Relative spacing of the numbers the model computes with.
        reference: The limit, where it is known from elsewhere, at the times of level 0.
    """
    changes = outputs[:-1] - outputs[1:]
    scale = time_norm(outputs[-1], norm=norm)
    differences = relative(time_norm(changes, norm=norm), scale)
    used = usable(differences, eps)
    order = extrapolation_order(last_order(differences, eps), declared)
    agreed = settled(differences, eps)
    limit = outputs[-1] if agreed else _limit(outputs, used, order)
    errors = np.full(len(outputs), np.nan)
    shift = gap = float("nan")
    if limit is not None:
        size = time_norm(limit, norm=norm)
        errors = relative(time_norm(outputs - limit, norm=norm), size)
        before = outputs[-2] if agreed else _limit(outputs, used - 1, order) if used > 1 else None
        if before is not None:
            shift = float(relative(time_norm(limit - before, norm=norm), size))
    if reference is not None:
        size = time_norm(reference, norm=norm)
        errors = relative(time_norm(outputs - reference, norm=norm), size)
        if limit is not None:
            gap = float(relative(time_norm(limit - reference, norm=norm), size))
    return Convergence(
        differences=differences,
        cosines=turning_cosines(changes),
        errors=errors,
        limit_shift=shift,
        limit_gap=gap,
    )


def relative(size: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return `size / scale`, with `0 / 0 = 0` and `x / 0 = inf`."""
    size, scale = np.asarray(size, float), np.asarray(scale, float)
    infinite = np.where(size > 0, np.inf, 0.0)
    return np.divide(size, scale, out=infinite, where=scale > 0)


def usable(differences: Differences, eps: float) -> int:
    """Return how many differences, from the coarsest on, stand clear of rounding."""
    clear = np.asarray(differences) > FLOOR * eps
    return int(clear.size if clear.all() else np.argmin(clear))


def settled(differences: Differences, eps: float) -> bool:
    """Return whether all but the coarsest level agree to rounding, so that they are the limit.

    Args:
        differences: `d_j`, from the coarsest on.
        eps: Relative spacing of the numbers the model computes with.
    """
    return bool(differences.size > 1 and np.all(differences[1:] <= FLOOR * eps))


def last_order(differences: Differences, eps: float) -> float:
    """Return the order between the two finest differences clear of rounding; NaN if there are none.

    Args:
        differences: `d_j`, from the coarsest on.
        eps: Relative spacing of the numbers the model computes with.
    """
    used = usable(differences, eps)
    return float(observed_orders(differences[:used])[-1]) if used > 1 else float("nan")


def extrapolation_order(observed: float, declared: int | None) -> float:
    """Return the order a limit is extrapolated with; NaN if none is known.

    The theory's order where the observed one agrees with it, else the observed one within
    `[.5, declared]`. Without a declared order, a whole number close by stands for the theory's.
    """
    theory = declared if declared is not None else nearest_whole(observed)
    if theory is not None and (np.isnan(observed) or abs(observed - theory) <= NEAR):
        return float(theory)
    if np.isnan(observed):
        return float("nan")
    return clipped_order(observed, None if declared is None else float(declared))


def nearest_whole(order: float) -> int | None:
    """Return the whole number >= 1 within .3 of an observed order, if there is one."""
    if np.isnan(order):
        return None
    whole = max(round(order), 1)
    return whole if abs(order - whole) <= NEAR else None


def asymptotic_levels(differences: Differences, declared: int | None, eps: float) -> int:
    """Return on how many of the finest levels the orders agree, with theory or with the last.

    Args:
        differences: `d_j`, from the coarsest on.
        declared: Declared order, if any.
        eps: Relative spacing of the numbers the model computes with.

    Returns:
        k orders that agree span k + 2 levels; 0 if no order agrees.
    """
    orders = observed_orders(differences[: usable(differences, eps)])
    if not orders.size:
        return 0
    theory = declared if declared is not None else orders[-1]
    away = np.abs(orders[::-1] - theory) > NEAR
    agreeing = int(np.argmax(away)) if away.any() else orders.size
    return agreeing + 2 if agreeing else 0


def convergence_outcome(
    differences: Differences, cosines: Turns, *, declared: int | None, eps: float
) -> Outcome:
    """Return how the outputs behave, memory aside."""
    used = usable(differences, eps)
    if used < 2:
        return Outcome.FLOAT_FLOOR
    turn, orders = cosines[used - 2], observed_orders(differences[:used])
    last = orders[-2:]
    if turn < -0.5:
        return Outcome.OSCILLATES
    if last.size == 2 and np.all(last < -0.1):
        return Outcome.DIVERGES
    if last[-1] < 0.3:
        return Outcome.STALLS
    away = 0.0 if declared is None else np.abs(last - declared).max()
    if max(float(np.ptp(last)), away) > NEAR:
        return Outcome.PRE_ASYMPTOTIC
    return Outcome.CONVERGES


def classify(
    differences: Differences,
    cosines: Turns,
    memory: Levels | None,
    *,
    window: float,
    declared: int | None,
    eps: float,
    noise: Levels | None = None,
) -> Outcome:
    """Return the outcome of a ladder.

    Args:
        differences: `d_j`, `(J,)`.
        cosines: Cosines between successive changes, `(J-1,)`.
        memory: Memory on each level in time units, `(J+1,)`; None or NaN where not known.
        window: T, in the same unit.
        declared: Declared order, if any.
        eps: Relative spacing of the numbers the model computes with.
        noise: How far rounding may move each memory; None for not at all.
    """
    if len(differences) < 3:
        return Outcome.TOO_FEW_LEVELS
    if memory is not None and np.isfinite(memory).all():
        if is_memoryless(memory, window=window):
            return Outcome.MEMORYLESS
        if memory_collapses(memory, noise):
            return Outcome.MEMORY_COLLAPSES
    return convergence_outcome(differences, cosines, declared=declared, eps=eps)


def _limit(
    outputs: Float64[np.ndarray, "level time channel"], used: int, order: float
) -> Float64[np.ndarray, "time channel"] | None:
    """Return the limit from the two finest levels clear of rounding."""
    if used == 0:
        return outputs[-1]
    return None if np.isnan(order) else richardson_limit(outputs[used], outputs[used - 1], order)

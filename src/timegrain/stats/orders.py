"""Orders of convergence and limits, from results on grids that halve their step."""

import numpy as np
from jaxtyping import Float, Float64

from timegrain.core.errors import ConfigError
from timegrain.stats.norms import inner, time_norm


def observed_orders(
    differences: Float[np.ndarray, "*batch level"],
) -> Float64[np.ndarray, "*batch order"]:
    """Return `p_j = log2(d_j / d_{j+1})`.

    Args:
        differences: Sizes `d_j >= 0` of the change from level j to the level with half its step.

    Returns:
        One order fewer than differences; NaN where a difference is 0 or not finite.

    Source:
        Roache, Quantification of Uncertainty in Computational Fluid Dynamics, Annu. Rev. Fluid
        Mech. 29 (1997), section 5.

    Example:
        >>> observed_orders(np.array([0.5, 0.25, 0.0625])).tolist()
        [1.0, 2.0]
    """
    d = np.asarray(differences, dtype=np.float64)
    usable = np.isfinite(d) & (d > 0)
    logs = np.where(usable, np.log2(np.where(usable, d, 1.0)), np.nan)
    return logs[..., :-1] - logs[..., 1:]


def richardson_limit(
    fine: Float[np.ndarray, "*shape"], coarse: Float[np.ndarray, "*shape"], order: float
) -> Float[np.ndarray, "*shape"]:
    """Return the limit that two results extrapolate to, the step of `coarse` twice that of `fine`.

    Args:
        fine: Result on the finer grid.
        coarse: Result on the coarser grid, at the same times.
        order: Order of convergence, > 0.

    Raises:
        ConfigError: If `order <= 0`.

    Math:
        `F* = F_h + (F_h - F_2h) / (2^p - 1)`; exact if the error is `C h^p`.

    Source:
        Richardson, Phil. Trans. R. Soc. A 210 (1911), section 1.2.

    Example:
        >>> float(richardson_limit(np.array(1.1), np.array(1.2), 1.0).round(12))
        1.0
    """
    return np.asarray(fine + (fine - coarse) / (2.0 ** _positive(order) - 1.0))


def refinement_constant(difference: float, tau: float, order: float) -> float:
    """Return C of the law `error = C tau^order` from the change between `tau` and `tau / 2`.

    Args:
        difference: Size of that change.
        tau: The coarser of the two steps, > 0.
        order: Order of convergence, > 0.

    Raises:
        ConfigError: If `order <= 0`.

    Math:
        `C tau^p - C (tau/2)^p = d`, so `C = d / ((1 - 2^-p) tau^p)`.

    Example:
        >>> refinement_constant(0.5, 1.0, 1.0)
        1.0
    """
    return difference / ((1.0 - 2.0 ** -_positive(order)) * tau**order)


def turning_cosines(
    changes: Float[np.ndarray, "level time channel"],
) -> Float64[np.ndarray, " turn"]:
    """Return the cosine of the angle between each change and the next.

    Args:
        changes: `F_j - F_{j+1}` at common times, `(level, time, channel)`.

    Returns:
        One fewer than changes: near 1 where results approach a limit from one side, negative where
        they swing around it; NaN next to a change that is zero.
    """
    sizes = time_norm(changes, norm="rms")[:, None, None]
    unit = np.divide(changes, sizes, out=np.zeros_like(changes), where=sizes > 0)
    known = (sizes[:-1] > 0) & (sizes[1:] > 0)
    return np.where(known[:, 0, 0], inner(unit[:-1], unit[1:]), np.nan)


def _positive(order: float) -> float:
    if not order > 0:
        raise ConfigError("a limit needs an order", got=order, expected="order > 0")
    return order

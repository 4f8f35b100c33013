"""The grid convergence index: an error bar for the finest grid."""

import numpy as np

from timegrain.core.errors import ConfigError

LOWEST_ORDER = 0.5
SAFETY = 1.25
SAFETY_UNCERTAIN = 3.0


def clipped_order(observed: float, declared: float | None) -> float:
    """Return the order to extrapolate with: the observed one, within `[.5, declared]`.

    Args:
        observed: Observed order; NaN counts as unknown and gives the declared one.
        declared: Order that theory gives, if any.

    Raises:
        ConfigError: If neither is known, or `declared < .5`.

    Example:
        >>> clipped_order(1.2, 1.0), clipped_order(0.9, 1.0), clipped_order(-1.0, None)
        (1.0, 0.9, 0.5)
    """
    if declared is not None and not declared >= LOWEST_ORDER:
        raise ConfigError("a declared order is at least .5", got=declared)
    if np.isfinite(observed):
        return float(np.clip(observed, LOWEST_ORDER, np.inf if declared is None else declared))
    if declared is None:
        raise ConfigError("no order is known", got=f"observed {observed}, declared none")
    return float(declared)


def grid_convergence_index(
    difference: float, observed: float, *, declared: float | None = None, asymptotic_levels: int
) -> float:
    """Return a bound for the relative error on the finest grid.

    Args:
        difference: Relative change between the two finest grids, their steps in ratio 2.
        observed: Observed order; clipped to `[.5, declared]`.
        declared: Order that theory gives, if any.
        asymptotic_levels: Levels on which the orders agree; the safety factor is 1.25 with three
            or more and 3 with fewer.

    Raises:
        ConfigError: If no order is known.

    Math:
        `GCI = F_s d / (2^p - 1)`.

    Source:
        Roache, Perspective: A Method for Uniform Reporting of Grid Refinement Studies, J. Fluids
        Eng. 116 (1994); Celik et al., Procedure for Estimation and Reporting of Uncertainty Due to
        Discretization in CFD Applications, J. Fluids Eng. 130 (2008), eq. (7).

    Example:
        >>> grid_convergence_index(0.01, 1.0, declared=1.0, asymptotic_levels=3)
        0.0125
    """
    safety = SAFETY if asymptotic_levels >= 3 else SAFETY_UNCERTAIN
    return safety * difference / (2.0 ** clipped_order(observed, declared) - 1.0)

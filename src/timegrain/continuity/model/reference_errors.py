"""Errors of reference systems on coarse grids, against the limit of their own fine ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float64

from timegrain.stats.norms import time_norm
from timegrain.stats.orders import richardson_limit

if TYPE_CHECKING:
    from timegrain.continuity.model.reference_systems import ReferenceSystems

FINEST = 12  # the reference extrapolates from the steps 2^-11 and 2^-12


@dataclass(frozen=True, kw_only=True, eq=False)
class ReferenceErrors:
    """Relative errors of every system; NaN for a system whose output underflows to zero.

    Args:
        errors: Of each norm, on each grid.
        reference: How far, relative to itself, the reference moves when it is extrapolated from
            steps twice as large: about three times its own error.
    """

    errors: Float64[np.ndarray, "norm grid *amplitude system"]
    reference: Float64[np.ndarray, "norm *amplitude system"]


def reference_errors(
    systems: "ReferenceSystems",
    steps: Sequence[int],
    *,
    amplitude: float | Float64[np.ndarray, " amplitude"],
    norms: Sequence[str] = ("sup",),
) -> ReferenceErrors:
    r"""Return the relative errors on grids of so many steps.

    Args:
        systems: With their discretisation.
        steps: Numbers of steps, each dividing `2^11`.
        amplitude: Factor a of the input, or several.
        norms: Of `time_norm`; error and size are both taken on the grid's own times.

    Math:
        `||y_tau - y*|| / ||y*||`, `y* = 2 y_{2^-12} - y_{2^-11}`: Richardson's limit at order 1,
        which leaves an error of order 2.
    """
    wanted = {*steps, *(2**m for m in range(FINEST - 2, FINEST + 1))}
    y = {n: systems.outputs(n, amplitude=amplitude) for n in sorted(wanted)}
    limit, coarser = (
        richardson_limit(y[2**m][..., ::2], y[2 ** (m - 1)], 1.0) for m in (FINEST, FINEST - 1)
    )
    table = []
    for n in steps:
        there = limit[..., :: 2 ** (FINEST - 1) // n]
        table.append([_share(y[n] - there, there, norm) for norm in norms])
    errors = np.moveaxis(np.array(table), 0, 1)
    there = limit[..., ::2]
    reference = np.array([_share(coarser - there, there, norm) for norm in norms])
    kept = np.isfinite(errors).all(axis=(0, 1))
    return ReferenceErrors(
        errors=np.where(kept, errors, np.nan), reference=np.where(kept, reference, np.nan)
    )


def _share(
    gap: Float64[np.ndarray, "*amplitude system time"],
    whole: Float64[np.ndarray, "*amplitude system time"],
    norm: str,
) -> Float64[np.ndarray, "*amplitude system"]:
    above, below = (time_norm(v[..., None], norm=norm) for v in (gap, whole))
    return np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)

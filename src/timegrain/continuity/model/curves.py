"""Median curves over pairs, and the rows of a result made from them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from timegrain.continuity.model.convergence import (
    NO_LIMIT,
    Differences,
    Levels,
    Turns,
    asymptotic_levels,
    convergence_outcome,
    usable,
)
from timegrain.continuity.model.ladder import Climb
from timegrain.continuity.model.result import ErrorRow, MemoryRow, OrderRow
from timegrain.stats.gci import grid_convergence_index
from timegrain.stats.orders import observed_orders


@dataclass(frozen=True, kw_only=True)
class Curves:
    """Medians over the pairs at one amplitude; NaN where no pair has a value.

    Args:
        differences: `d_j`, `(J,)`.
        cosines: Between successive changes, `(J-1,)`.
        errors: Against the limit, `(J+1,)`.
        memory: In time units, `(J+1,)`; None if it cannot be reached.
        noise: How far rounding may move each; None if it cannot be reached.
    """

    differences: Differences
    cosines: Turns
    errors: Levels
    memory: Levels | None
    noise: Levels | None = None

    @classmethod
    def of(cls, climbs: Sequence[Climb]) -> "Curves":
        """Return the medians of what several pairs show."""
        ladders = [c.convergence for c in climbs]
        memory = [c.memory for c in climbs if c.memory is not None]
        noise = [c.noise for c in climbs if c.noise is not None]
        return cls(
            differences=_medians([x.differences for x in ladders]),
            cosines=_medians([x.cosines for x in ladders]),
            errors=_medians([x.errors for x in ladders]),
            memory=_medians(memory) if memory else None,
            noise=_medians(noise) if noise else None,
        )


def gci_of(curves: Curves, *, theory: int | None, eps: float) -> float | None:
    """Return the grid convergence index of the finest difference clear of rounding.

    Args:
        curves: Medians at one amplitude.
        theory: Declared or inferred order, if any.
        eps: Relative spacing of the numbers the model computes with.
    """
    used = usable(curves.differences, eps)
    orders = observed_orders(curves.differences[:used])
    observed = float(orders[-1]) if orders.size else float("nan")
    if used == 0 or (np.isnan(observed) and theory is None):
        return None
    return grid_convergence_index(
        float(curves.differences[used - 1]),
        observed,
        declared=None if theory is None else float(theory),
        asymptotic_levels=asymptotic_levels(curves.differences, theory, eps),
    )


def error_rows(
    amplitudes: Sequence[float],
    curves: Sequence[Curves],
    *,
    declared: int | None,
    eps: float,
    tau: float = 1.0,
    given: bool = False,
) -> tuple[ErrorRow, ...]:
    """Return errors by amplitude and step.

    Args:
        amplitudes: Of the rows.
        curves: Medians at each.
        declared: Declared order, if any.
        eps: Relative spacing of the numbers the model computes with.
        tau: Of the working grid.
        given: Whether the reference is known from elsewhere; else errors are null at amplitudes
            whose outputs have no limit.
    """

    def rows() -> Iterator[ErrorRow]:
        for amplitude, curve in zip(amplitudes, curves, strict=True):
            ending = convergence_outcome(
                curve.differences, curve.cosines, declared=declared, eps=eps
            )
            for level, error in enumerate(curve.errors):
                known = np.isfinite(error) and (given or ending not in NO_LIMIT)
                yield ErrorRow(
                    amplitude=amplitude,
                    tau=tau * 2.0**-level,
                    error=float(error) if known else None,
                    layer="output",
                )

    return tuple(rows())


def order_rows(
    amplitudes: Sequence[float], curves: Sequence[Curves], *, tau: float = 1.0
) -> tuple[OrderRow, ...]:
    """Return differences and the orders they show by amplitude and step; `tau` at work."""
    return tuple(
        OrderRow(
            amplitude=amplitude,
            tau=tau * 2.0**-level,
            difference=float(difference),
            order=float(order) if np.isfinite(order) else None,
            layer="output",
        )
        for amplitude, curve in zip(amplitudes, curves, strict=True)
        for level, (difference, order) in enumerate(
            zip(
                curve.differences,
                [*observed_orders(curve.differences), np.nan],
                strict=True,
            )
        )
    )


def memory_rows(
    amplitudes: Sequence[float], curves: Sequence[Curves], *, layer: str | None, tau: float = 1.0
) -> tuple[MemoryRow, ...] | None:
    """Return memory by amplitude and step, `tau` at work; None if it cannot be reached."""
    if layer is None:
        return None
    return tuple(
        MemoryRow(
            amplitude=amplitude,
            tau=tau * 2.0**-level,
            memory=float(memory) if np.isfinite(memory) else None,
            layer=layer,
        )
        for amplitude, curve in zip(amplitudes, curves, strict=True)
        for level, memory in enumerate(curve.memory if curve.memory is not None else ())
    )


def _medians(curves: Sequence[Levels]) -> Levels:
    """Return the median over pairs at each level, pairs without a value set aside."""
    stacked = np.stack(curves)
    known = ~np.isnan(stacked)
    return np.array(
        [
            np.median(column[keep]) if keep.any() else np.nan
            for column, keep in zip(stacked.T, known.T, strict=True)
        ]
    )

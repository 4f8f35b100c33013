"""Medians over systems, with their intervals, orders and growth."""

from dataclasses import dataclass
from math import log

import numpy as np
from jaxtyping import Float64

from timegrain.core.seeds import stream
from timegrain.stats.median_ends import FEWEST, median_interval
from timegrain.study.presets.paper_continuity.result import ErrorCell, GrowthCell, OrderCell
from timegrain.study.presets.paper_continuity.settings import PaperContinuitySettings

REPLICATES = 999


@dataclass(frozen=True, kw_only=True, eq=False)
class Curves:
    """The relative errors of one kind of system, NaN for those that were dropped.

    Args:
        family: As in `ErrorCell`.
        discretization: As there.
        norm: As there.
        errors: Of each system.
        reference: How far its reference moves.
    """

    family: str
    discretization: str
    norm: str
    errors: Float64[np.ndarray, "tau amplitude system"]
    reference: Float64[np.ndarray, "amplitude system"]


def error_cells(curves: Curves, settings: PaperContinuitySettings) -> list[ErrorCell]:
    """Return a cell an amplitude and tau."""
    cells = []
    for i, amplitude in enumerate(settings.amplitudes):
        for j, tau in enumerate(settings.taus):
            values = curves.errors[j, i]
            kept = values[np.isfinite(values)]
            ends = median_interval(kept)
            cells.append(
                ErrorCell(
                    family=curves.family,
                    discretization=curves.discretization,
                    norm=curves.norm,
                    amplitude=amplitude,
                    tau=tau,
                    error=_median(values),
                    low=None if ends is None else ends[0],
                    high=None if ends is None else ends[1],
                    n_dropped=values.size - kept.size,
                )
            )
    return cells


def order_cells(curves: Curves, settings: PaperContinuitySettings) -> list[OrderCell]:
    """Return a cell an amplitude."""
    octaves = log(settings.taus[1] / settings.taus[0])
    cells = []
    for i, amplitude in enumerate(settings.amplitudes):
        fine, coarse = (_median(curves.errors[j, i]) for j in (0, 1))
        cells.append(
            OrderCell(
                family=curves.family,
                discretization=curves.discretization,
                norm=curves.norm,
                amplitude=amplitude,
                order=log(coarse / fine) / octaves if fine and coarse else None,
                reference=_median(curves.reference[i]),
            )
        )
    return cells


def growth_cell(curves: Curves, settings: PaperContinuitySettings) -> GrowthCell:
    """Return what the amplitude does to the errors."""
    small, large = curves.errors[0, 0], curves.errors[0, -1]
    both = np.isfinite(small) & np.isfinite(large)
    growth, low, high = _ratio_of_medians(large[both], small[both], settings.seed)
    return GrowthCell(
        family=curves.family,
        discretization=curves.discretization,
        norm=curves.norm,
        growth=growth,
        low=low,
        high=high,
        spread=_spread(curves),
    )


def _ratio_of_medians(
    above: Float64[np.ndarray, " system"], below: Float64[np.ndarray, " system"], seed: int
) -> tuple[float | None, float | None, float | None]:
    top, bottom = _median(above), _median(below)
    if top is None or not bottom:
        return None, None, None
    if above.size < FEWEST:
        return top / bottom, None, None
    drawn = stream(seed, "growth").integers(above.size, size=(REPLICATES, above.size))
    ratios = np.median(above[drawn], axis=1) / np.median(below[drawn], axis=1)
    low, high = np.quantile(ratios, (0.025, 0.975))
    return top / bottom, float(low), float(high)


def _spread(curves: Curves) -> float | None:
    gaps = []
    for row in curves.errors:
        medians = [_median(values) for values in row]
        known = [m for m in medians if m is not None]
        if len(known) < len(medians) or not known[0]:
            return None
        gaps.append(max(abs(m / known[0] - 1) for m in known))
    return max(gaps)


def _median(values: Float64[np.ndarray, " system"]) -> float | None:
    kept = values[np.isfinite(values)]
    return float(np.median(kept)) if kept.size else None

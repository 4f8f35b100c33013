"""Medians over pairs, with their intervals."""

import numpy as np
from jaxtyping import Float64

from timegrain.core.seeds import stream

MIN_PAIRS = 20
REPLICATES = 2000
LEVEL = 0.95


def median_or_none(values: Float64[np.ndarray, " pair"]) -> float | None:
    """Return the median of the pairs that have a value; None if none has.

    Args:
        values: One value per pair; NaN where a pair has none.
    """
    known = values[np.isfinite(values)]
    return float(np.median(known)) if known.size else None


def median_interval(
    values: Float64[np.ndarray, " pair"], *, seed: int, key: str
) -> tuple[float, float] | None:
    """Return the 95 % bootstrap interval of the median over pairs.

    Args:
        values: One value per pair; NaN where a pair has none.
        seed: Seed of the resampling.
        key: What is estimated, so that quantities have streams of their own.

    Returns:
        None for fewer than 20 pairs, or if fewer than half of them have a value.

    Source:
        Efron, Bootstrap Methods: Another Look at the Jackknife, Ann. Statist. 7 (1979), section 3
        (the median); here percentiles of 2,000 replicates.
    """
    known = values[np.isfinite(values)]
    if values.size < MIN_PAIRS or known.size < values.size / 2:
        return None
    draws = stream(seed, "bootstrap", key).integers(known.size, size=(REPLICATES, known.size))
    low, high = np.quantile(np.median(known[draws], axis=1), [0.5 - LEVEL / 2, 0.5 + LEVEL / 2])
    return float(low), float(high)

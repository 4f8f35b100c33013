"""What the sums over neighbours are: a plain loop over pieces and channels."""

import numpy as np
from jaxtyping import Float, Float64, Int64

from timegrain.kernels.discontinuity.pieces import Pieces


def neighbour_sums(
    values: Float[np.ndarray, "sample channel"],
    pieces: Pieces,
    exponents: Int64[np.ndarray, " channel"],
    *,
    detrend: bool = False,
) -> tuple[Float64[np.ndarray, " channel"], Float64[np.ndarray, " channel"]]:
    """Return the sums of squared steps and of twice the variance; see `dispatch`."""
    rise, spread = np.zeros(values.shape[1]), np.zeros(values.shape[1])
    for start, stop in zip(pieces.starts.tolist(), pieces.stops.tolist(), strict=True):
        t = pieces.times[start:stop] if pieces.times.size else np.arange(float(stop - start))
        for c in range(values.shape[1]):
            x = np.ldexp(values[start:stop, c].astype(np.float64), -int(exponents[c]))
            seen = ~np.isnan(x)
            lost = 2 if detrend else 1
            if seen.sum() <= lost:
                continue
            rest = x - x[seen].mean()
            if detrend:
                from_middle = t - t[seen].mean()
                slope = (rest * from_middle)[seen].sum() / (from_middle[seen] ** 2).sum()
                rest = rest - slope * from_middle
            steps = np.diff(rest)
            steps = steps[~np.isnan(steps)]
            rise[c] += (steps**2).sum()
            spread[c] += 2 * (rest[seen] ** 2).sum() / (seen.sum() - lost) * len(steps)
    return rise, spread

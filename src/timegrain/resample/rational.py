"""From one rate to another, by a ratio of whole numbers."""

import numpy as np
from jaxtyping import Float

from timegrain.core.errors import ConfigError
from timegrain.resample.decimate import as_rows, check_signal, fir_decimate, from_rows
from timegrain.resample.edges import odd_extension
from timegrain.resample.fir import REACH, fir_taps, shortest_length


def fir_resample(
    x: Float[np.ndarray, "..."], up: int, down: int, *, axis: int = 1
) -> Float[np.ndarray, "..."]:
    """Return the signal on a grid with `up` steps in the place of `down`, without aliasing.

    Sample `m` of the result stands at the instant `m down / up` of the signal, in its steps; none
    stands behind the last sample. The filter passes up to .8 of the lower of the two Nyquist
    frequencies and stops from it on, both to 120 dB; the ends are treated as in `fir_decimate`.

    Args:
        x: Numbers of any shape; `(batch, time, channel)` by default.
        up: Whole number >= 1.
        down: Whole number >= 1; common factors of both are dropped.
        axis: Which axis is time.

    Returns:
        `floor((n - 1) up / down) + 1` samples along `axis`.

    Raises:
        ConfigError: If `up` or `down` is no whole number >= 1.
        GridError: If the signal is shorter than three times the filter, naming the shortest length.
        DataError: If a value is missing or infinite.
        LayoutError: If `x` has no such axis.

    Example:
        >>> t = np.arange(600)
        >>> y = fir_resample(np.sin(0.1 * t), 3, 2, axis=0)
        >>> y.shape, bool(np.abs(y - np.sin(0.1 * np.arange(899) * 2 / 3))[60:-60].max() < 2e-6)
        ((899,), True)
    """
    for number in (up, down):
        fir_taps(number)
    shared = int(np.gcd(up, down))
    up, down = int(up) // shared, int(down) // shared
    if up == 1:
        return fir_decimate(x, down, axis=axis)
    from scipy.signal import upfirdn

    widest = max(up, down)
    rows, shape = as_rows(x, axis)
    check_signal(rows, shortest_length(widest, up=up), f"resampling by {up}/{down}")
    n_out = (rows.shape[1] - 1) * up // down + 1
    reach = -(-REACH * widest // up)
    # the first sample leaves the filter at `reach up + REACH widest`; zeros before the taps
    # delay it to a multiple of `down`, so that one of the kept samples is it
    delay = reach * up + REACH * widest
    late = -delay % down
    taps = np.concatenate([np.zeros(late), up * fir_taps(widest)])
    first = (delay + late) // down
    full = upfirdn(taps, odd_extension(rows, reach), up, down, axis=1)
    return from_rows(full[:, first : first + n_out], shape, x.dtype)


def ratio(step: float, new_step: float, *, most: int = 1000) -> tuple[int, int]:
    """Return `(up, down)` so that `new_step = step down / up`.

    Args:
        step: Of the signal; positive.
        new_step: Of the new grid, in the same unit; positive.
        most: The largest number either may be.

    Raises:
        ConfigError: If there are no such whole numbers.

    Example:
        >>> ratio(1 / 44100, 1 / 48000), ratio(0.002, 0.01)
        ((160, 147), (1, 5))
    """
    from fractions import Fraction

    near = Fraction(new_step / step).limit_denominator(most)
    # rates in files have at most 8 digits
    exact = abs(float(near) * step / new_step - 1) < 1e-9 if near else False
    if not exact or max(near.numerator, near.denominator) > most:
        raise ConfigError(
            "the two rates are in no ratio of small whole numbers",
            got=f"steps of {step:.9g} and {new_step:.9g}",
            expected=f"a ratio of two numbers up to {most:,}",
            hint="a rate that is a multiple or a part of the recorded one",
        )
    return near.denominator, near.numerator

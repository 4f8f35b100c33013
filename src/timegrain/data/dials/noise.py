"""The dial that adds white noise."""

import math
from dataclasses import replace

import numpy as np

from timegrain.core.errors import DataError
from timegrain.core.seeds import stream
from timegrain.data.dataset import Dataset
from timegrain.data.dials.kinds import Dial
from timegrain.data.dials.words import check_dose, dose_text


def add_noise(data: Dataset, snr: float, *, seed: int = 0) -> Dataset:
    """Return the dataset with white Gaussian noise at a ratio of signal to noise in decibels.

    The noise of a channel has one variance in all sequences, as that of a sensor would: the mean
    of the sequences' own variances, over `10^(snr / 10)`. The same seed draws the same noise at
    every ratio, only louder. Missing samples stay missing.

    Args:
        data: Real data.
        snr: 20 adds noise of a hundredth of the variance, 0 as much as there is, -300 at most;
            `inf` returns `data` itself.
        seed: Of the noise.

    Raises:
        ConfigError: If `snr` is no number, or below -300.
        DataError: If the data are tokens.

    Example:
        >>> quiet = Dataset(name="x", sequences=(np.sin(np.arange(4000.0))[:, None],))
        >>> added = add_noise(quiet, 10).sequences[0] - quiet.sequences[0]
        >>> round(float(added.var() / 0.05), 1)
        1.0
    """
    snr = check_dose(DIAL, snr)
    if math.isinf(snr):
        return data
    if data.kind == "tokens":
        raise DataError("noise cannot be added to symbols", got=f"tokens in {data.name!r}")
    # a tenth of snr is the exponent of a variance, a twentieth that of an amplitude
    amplitude = np.sqrt(_variance(data)) * 10.0 ** (-snr / 20)
    noisy = tuple(
        s + amplitude * stream(seed, "add_noise", i).standard_normal(s.shape)
        for i, s in enumerate(data.sequences)
    )
    text = f"white noise was added, {dose_text(snr)} dB below the signal (seed {seed})"
    return replace(data, sequences=noisy, notes=(*data.notes, text))


def _variance(data: Dataset) -> np.ndarray:
    """Mean over sequences of each channel's unbiased variance, weighted by their samples."""
    square, count = np.zeros(data.n_channels), np.zeros(data.n_channels)
    for s in (s.astype(np.float64, copy=False) for s in data.sequences):
        seen = (~np.isnan(s)).sum(axis=0)
        used = seen >= 2
        square[used] += np.nanvar(s[:, used], axis=0, ddof=1) * seen[used]
        count += seen * used
    return np.divide(square, count, out=np.zeros_like(square), where=count > 0)


DIAL = Dial(
    name="noise",
    turn=add_noise,
    untouched=math.inf,
    unit="dB",
    whole=False,
    meaning="white noise added so many decibels below the signal",
    # a float64 has 16 digits: of a signal 1e15 times smaller hardly one is left
    low=-300.0,
)

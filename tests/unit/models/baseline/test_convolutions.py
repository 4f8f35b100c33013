import itertools

import numpy as np
import pytest

from timegrain.core.errors import ConfigError
from timegrain.models.baseline.convolutions import draw_convolutions


def by_hand(kernels, series):
    """Every output of every kernel, one multiplication at a time."""
    features = []
    for k, taps in enumerate(kernels.taps):
        rows = range(kernels.channel_start[k], kernels.channel_start[k + 1])
        dilation, length = kernels.dilations[k], len(series)
        span = (taps - 1) * dilation
        zeros = span // 2 if kernels.padded[k] or span >= length else 0
        outputs = []
        for start in range(-zeros, length + zeros - span):
            total = kernels.biases[k]
            for row in rows:
                for tap in range(taps):
                    at = start + tap * dilation
                    if 0 <= at < length:
                        total += kernels.weights[row, tap] * series[at, kernels.channels[row]]
            outputs.append(total)
        features += [np.mean(np.array(outputs) > 0), max(outputs)]
    return features


@pytest.mark.parametrize(("length", "channels"), [(60, 1), (60, 4), (5, 2), (1, 1)])
def test_features_are_those_of_the_definition(length, channels):
    kernels = draw_convolutions(40, length=60, channels=channels, seed=1)
    series = np.random.default_rng(0).normal(size=(length, channels))
    got = kernels.features([series])[0]
    np.testing.assert_allclose(got, by_hand(kernels, series), rtol=1e-12, atol=1e-12)


def test_draws_follow_the_paper():
    kernels = draw_convolutions(3000, length=301, channels=1, seed=0)
    assert set(kernels.taps) == {7, 9, 11}
    for row, taps in zip(kernels.weights, kernels.taps, strict=True):
        assert abs(row.sum()) < 1e-12
        assert np.all(row[taps:] == 0)
    assert np.all((kernels.taps - 1) * kernels.dilations <= 300)
    nine = kernels.dilations[kernels.taps == 9]
    # Log-uniform up to 300/8: below the geometric middle lies half; about 1,000 draws.
    assert np.mean(nine < np.sqrt(300 / 8)) == pytest.approx(0.5, abs=4 * 0.5 / 1000**0.5)
    assert np.mean(kernels.padded) == pytest.approx(0.5, abs=4 * 0.5 / 3000**0.5)
    assert np.abs(kernels.biases).max() <= 1


def test_dilations_follow_the_length():
    short, long = (draw_convolutions(500, length=n, channels=1).dilations.max() for n in (20, 2000))
    assert short <= 3
    assert long > 100
    assert np.all(draw_convolutions(50, length=3, channels=1).dilations == 1)


def test_channels_are_subsets_without_repetition():
    kernels = draw_convolutions(300, length=50, channels=5, seed=0)
    sizes = np.diff(kernels.channel_start)
    assert sizes.min() == 1
    assert sizes.max() == 5
    for start, stop in itertools.pairwise(kernels.channel_start):
        assert len(set(kernels.channels[start:stop])) == stop - start


def test_arguments_outside_their_domain():
    with pytest.raises(ConfigError, match="length is a whole number, got 0"):
        draw_convolutions(5, length=0, channels=1)

"""Autocorrelation and spectrum against closed forms, and a reason wherever there is none."""

import math
import warnings

import numpy as np
import pytest

from timegrain.continuity.task.familiar.line import frequency_text
from timegrain.continuity.task.familiar.words import spectral_edge, spectral_entropy
from timegrain.continuity.task.measure import task_continuity
from timegrain.core.result import read_result
from timegrain.data.processes import autoregressive

WORDS = ("autocorrelation", "spectral_edge", "spectral_entropy")


def words(x, **options):
    r = task_continuity(x, replicates=99, **options)
    return r.autocorrelation, r.spectral_edge, r.spectral_entropy


def power_below(rho, f):
    """Share of the power of first-order autoregression below a frequency in cycles a sample."""
    return 2 / math.pi * math.atan((1 + rho) / (1 - rho) * math.tan(math.pi * f))


@pytest.mark.parametrize("rho", [-0.6, 0.0, 0.5, 0.9])
def test_autoregression_has_its_own_lag_one_correlation_and_spectrum(rho):
    n, length = 200, 1000
    lag, edge, entropy = words(autoregressive(n, length, rho=rho, seed=1))
    # Bartlett: the error of a lag-1 correlation is sqrt((1 - rho^2) / samples) at most; five of
    # them, and the expectation's own 1 - (1 - rho) / beta, within 2 / length / (1 - rho)
    error = 5 * math.sqrt((1 - rho**2) / (n * length)) + 2 / length / (1 - rho)
    assert lag == pytest.approx(rho, abs=error)
    # 65 stretches of 1,000: 500 frequencies, the lowest of them lost to the mean
    assert power_below(rho, edge) == pytest.approx(0.95, abs=0.01)
    grid = (np.arange(20_000) + 0.5) / 40_000
    p = 1 / (1 - 2 * rho * np.cos(2 * np.pi * grid) + rho**2)
    p /= p.sum()
    exact = float(-(p * np.log(p * len(p))).sum()) / math.log(500) + 1
    # power of m stretches scatters by 1 / sqrt(m), which costs 1 / (2 m log 500) of entropy
    assert entropy == pytest.approx(exact, abs=0.01)


def test_white_noise_has_a_flat_spectrum_and_no_correlation():
    lag, edge, entropy = words(np.random.default_rng(0).standard_normal((200, 1000)), dt=0.01)
    assert edge == pytest.approx(47.5, abs=0.3)
    assert entropy > 0.99
    assert abs(lag) < 5 / math.sqrt(200_000)
    hertz = words(np.random.default_rng(0).standard_normal((200, 1000)), dt=0.01, unit="s")[1]
    assert hertz == pytest.approx(47.5, abs=0.3)


@pytest.mark.parametrize("shape", [(1, 4000), (40, 257), (400, 24)])
def test_shuffled_data_have_no_correlation_and_a_flat_spectrum_whatever_their_length(shape):
    rng = np.random.default_rng(2)
    x = np.stack([rng.permutation(np.cumsum(rng.standard_normal(shape[1])))
                  for _ in range(shape[0])])  # fmt: skip
    lag, edge, entropy = words(x)
    assert abs(lag) < 5 / math.sqrt(x.size)
    assert edge == pytest.approx(0.475, abs=0.012)
    # the mean of 24 samples takes half a frequency of twelve: log(11.5 / 12) / log 12 = -.017
    assert entropy > 0.97


@pytest.mark.parametrize("frequency", [3.0, 12.5, 40.0])
def test_a_tone_is_one_frequency(frequency):
    t = np.arange(20_000) / 100
    x = np.sin(2 * np.pi * frequency * t + 0.3)
    lag, edge, entropy = words(x, dt=0.01, unit="s")
    assert lag == pytest.approx(math.cos(2 * np.pi * frequency / 100), abs=1e-3)
    # stretches of 2,500: Hann's window is four frequencies of .04 Hz wide
    assert edge == pytest.approx(frequency, abs=0.08)
    assert entropy < 0.2


def test_mean_over_channels_and_offsets_units_and_types():
    x = autoregressive(6, 400, rho=0.8, seed=3).reshape(3, 400, 2)
    each = [words(x[..., c]) for c in range(2)]
    both = words(x)
    assert both[0] == pytest.approx(np.mean([e[0] for e in each]), rel=1e-12)
    assert min(e[1] for e in each) <= both[1] <= max(e[1] for e in each)
    assert words(1e4 + 3.0 * x) == pytest.approx(both, rel=1e-7)
    assert words(x.astype(np.float32)) == pytest.approx(both, rel=1e-5)
    with_rest = np.concatenate([x, np.ones((3, 400, 1))], axis=2)
    assert words(with_rest) == both


def test_a_line_is_no_content_once_it_is_removed():
    noise = np.random.default_rng(0).standard_normal((20, 600))
    tilted = noise + 5.0 * np.arange(600)
    lag, edge, entropy = words(tilted, detrend="linear")
    plain = words(noise, detrend="linear")
    # squared steps of 25 beside those of 2 cost one more digit of float64
    assert (lag, edge, entropy) == pytest.approx(plain, rel=1e-6, abs=1e-9)
    assert abs(lag) < 5 / math.sqrt(12_000)
    assert words(tilted)[0] > 0.99


def test_gaps_are_skipped_by_stretches():
    x = autoregressive(1, 60_000, rho=0.9, seed=4)[0]
    whole = words(x)
    holed = x.copy()
    holed[1000:1200] = np.nan
    holed[40_000] = np.nan
    assert words(holed)[1:] == pytest.approx(whole[1:], rel=0.05)
    often = x.copy()
    often[::150] = np.nan  # no stretch of 4,096 is complete, shorter ones are
    lag, edge, entropy = words(often)
    assert lag == pytest.approx(whole[0], abs=0.01)
    assert power_below(0.9, edge) == pytest.approx(0.95, abs=0.02)
    assert entropy == pytest.approx(whole[2], abs=0.05)


def test_jittered_times_have_a_spectrum_and_scattered_ones_say_why_not():
    rng = np.random.default_rng(5)
    t = (np.arange(20_000) + rng.normal(0, 0.05, 20_000)) / 100
    x = np.sin(2 * np.pi * 3 * t)
    r = task_continuity(x, times=t, unit="s", replicates=99)
    assert r.spectral_edge == pytest.approx(3, abs=0.1)
    t[9000:] += 60.0  # a pause: the stretch across it is left out, the step stays the median
    paused = task_continuity(np.sin(2 * np.pi * 3 * t), times=t, unit="s", replicates=99)
    assert paused.spectral_edge == pytest.approx(3, abs=0.1)
    scattered = np.cumsum(rng.exponential(1, 2000) + 1e-3)
    r = task_continuity(np.sin(scattered / 50), times=scattered)
    assert r.spectral_edge is None and r.spectral_entropy is None
    assert "steps between samples differ" in r.reasons["spectral_edge"]
    assert r.autocorrelation > 0.99
    assert "no spectrum: the steps" in dict(r.summary_lines())["spectrum"]


def test_every_null_has_a_reason_and_nothing_warns():
    inputs = [
        (np.ones((2, 20)), {}),
        (np.arange(3.0) ** 2, {}),
        (np.arange(100) % 7, {"kind": "tokens"}),
        (np.array([0.0, np.nan, 1.0, 2.0, 1.0, np.nan] * 20), {}),
        (np.arange(200.0), {"detrend": "linear"}),
        (np.array([1e300, -1e300] * 40), {"dt": 1e-300}),
    ]
    for x, options in inputs:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            r = task_continuity(x, **options)
        for field in WORDS:
            assert (getattr(r, field) is None) == (field in r.reasons), (field, r.reasons)
        assert read_result(r.to_json()) == r


def test_tokens_have_none():
    r = task_continuity(np.arange(100) % 7, kind="tokens")
    assert all(r.reasons[field] == "symbols have no size" for field in WORDS)


@pytest.mark.parametrize("unit", ["s", "h", "sample", "time unit"])
def test_the_line_fits_eighty_columns(unit):
    for rho in (0.0, 0.99):
        r = task_continuity(autoregressive(2, 500, rho=rho), dt=0.02, unit=unit)
        lines = repr(r).splitlines()
        assert max(map(len, lines)) <= 80
        (at,) = (i for i, line in enumerate(lines) if line.startswith("  spectrum"))
        assert "lag-1 correlation" in lines[at] and "entropy" in lines[at]


def test_frequencies_are_written_as_people_say_them():
    assert frequency_text(0.5, "s") == "0.5 Hz"
    assert frequency_text(0.02, "ms") == "1 per 50 s"
    assert frequency_text(0.115e-3, "s") == "1 per 2.42 h"
    assert frequency_text(1 / 43_200, "h") == "1 per 12 h"
    assert frequency_text(1 / (3 * 86_400), "h") == "1 per 3 d"


def test_edge_and_entropy_of_spectra_known_in_closed_form():
    assert spectral_edge(np.array([0.0, 0.0, 1.0, 0.0])) == pytest.approx(2.45 / 6)
    two = np.zeros(102)
    two[[10, 50]] = 1.0
    assert spectral_entropy(two) == pytest.approx(math.log(2) / math.log(101))

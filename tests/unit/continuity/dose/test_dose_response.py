"""Doses against what is known of them in closed form, and against the untouched data."""

import math

import numpy as np
import pytest

from timegrain.continuity import dataset_continuity, dose_response
from timegrain.core.errors import ConfigError, DataError
from timegrain.core.result import read_result
from timegrain.data import Dataset
from timegrain.data.processes import autoregressive, autoregressive_discontinuity
from timegrain.data.processes import sines_with_noise as sines


def dataset(x, **more):
    return Dataset(name="x", sequences=tuple(s[:, None] for s in x), **more)


def labelled(n=60, length=64, seed=0):
    """Two classes told apart by their level, whatever the order of samples."""
    labels = np.arange(n) % 2
    x = np.random.default_rng(seed).standard_normal((n, length)) + 2.0 * labels[:, None]
    return dataset(x, labels=labels, class_names=("low", "high"))


def test_untouched_doses_equal_the_untouched_data_exactly():
    data = dataset(autoregressive(70, 130, rho=0.9, seed=1))
    plain = dataset_continuity(data, window=64)
    found = dose_response(
        data, {"window_shuffle": (1,), "noise": (math.inf,), "decimate": (1,)}, window=64
    )
    (d,) = (p for p in plain.profile if p.channel is None and p.stride == 2)
    for row in found.doses:
        assert row.untouched
        assert (row.discontinuity, row.low, row.high) == (d.discontinuity, d.low, d.high)
        assert (row.horizon, row.horizon_open) == (plain.horizon, plain.horizon_open)


def test_a_whole_shuffle_makes_d_one_and_small_ones_lie_between():
    data = dataset(autoregressive(200, 128, rho=0.98, seed=2))
    rows = dose_response(data, {"window_shuffle": (1, 4, 16, 128)}).doses
    d = [row.discontinuity for row in rows]
    assert d == sorted(d)
    # one permutation of 128 is not the mean over all of them: neighbours stay some close; 10 %
    assert d[-1] == pytest.approx(1, abs=0.1)
    assert d[0] < 0.05


def test_noise_moves_d_as_mixing_variances_does():
    data = dataset(sines(40, 2000, frequencies=[2.0, 5.0], noise_share=0.0, dt=1e-3))
    rows = dose_response(data, {"noise": (math.inf, 20.0, 10.0, 0.0)}).doses
    clean = rows[0].discontinuity
    for row in rows[1:]:
        share = 10 ** (-row.dose / 10)
        expected = (clean + share) / (1 + share)
        # 40,000 residuals tell the noise's variance to sqrt(2 / 40,000) = 0.7 %; four of those
        assert row.discontinuity == pytest.approx(expected, rel=0.03)


def test_thinned_autoregression_is_autoregression_of_a_higher_power():
    data = dataset(autoregressive(2000, 257, rho=0.95, seed=3), dt=0.5, unit="s")
    rows = dose_response(data, {"decimate": (1, 2, 4)}, strides=(2,)).doses
    for row in rows:
        k = int(row.dose)
        expected = autoregressive_discontinuity(0.95**k, 256 // k + 1)
        assert row.low - 0.01 * expected < expected < row.high + 0.01 * expected


def test_thinned_pieces_span_the_same_time():
    data = dataset(autoregressive(50, 256, rho=0.95, seed=3))
    found = dose_response(data, {"decimate": (1, 4)}, window=64)
    again = dataset_continuity(dataset([s[::4, 0] for s in data.sequences]), window=16)
    assert found.doses[1].discontinuity == again.discontinuity[2]
    assert any("same stretch of time" in note for note in found.notes)


def test_a_label_that_is_a_level_survives_a_shuffle():
    found = dose_response(labelled(), {"window_shuffle": (1, 16), "noise": (-20.0,)}, retention=4)
    one, shuffled, drowned = found.doses
    assert (found.stride, found.metric, found.trivial_score) == (4, "accuracy", 0.5)
    assert one.score > 0.9 and shuffled.score > 0.9
    assert shuffled.retention > 0.7
    assert shuffled.retention_low <= shuffled.retention <= shuffled.retention_high
    assert drowned.score < one.score
    assert (drowned.retention is None) == bool(drowned.reason)
    assert read_result(found.to_json()) == found
    assert max(map(len, repr(found).splitlines())) <= 80
    assert "share of the probe's skill" in repr(found)


def test_without_a_label_there_is_no_retention_and_it_is_an_error_to_ask():
    data = dataset(autoregressive(3, 64, rho=0.5))
    found = dose_response(data, {"noise": (10.0, math.inf)})
    assert found.stride is None and found.reasons["metric"]
    assert all(row.retention is None and not row.reason for row in found.doses)
    assert [row["dose"] for row in found.rows()] == [10.0, None]
    assert found.to_arrow().num_rows == 2
    assert read_result(found.to_json()) == found
    with pytest.raises(DataError, match="no label"):
        dose_response(data, {"noise": (10.0,)}, retention=4)


def test_nothing_to_turn_and_wrong_doses_are_refused():
    data = dataset(autoregressive(3, 64, rho=0.5))
    with pytest.raises(ConfigError, match="no dial"):
        dose_response(data, {})
    with pytest.raises(ConfigError, match="whole numbers"):
        dose_response(data, {"decimate": (1.5,)})
    with pytest.raises(DataError, match="too short"):
        dose_response(data, {"decimate": (64,)})


def test_constant_data_have_rows_without_d():
    found = dose_response(dataset(np.ones((3, 50))), {"window_shuffle": (1, 4)})
    assert [row.discontinuity for row in found.doses] == [None, None]
    assert read_result(found.to_json()) == found and "-" in repr(found)

import json
import subprocess
import sys

import numpy as np
import pytest

from timegrain.continuity.task.measure import TaskContinuity, task_continuity
from timegrain.core.errors import ConfigError
from timegrain.core.outcome import Outcome
from timegrain.core.result import read_result
from timegrain.data.processes import fractional_brownian, sines_with_noise, telegraph


def walk(*shape, seed=0):
    return np.cumsum(np.random.default_rng(seed).standard_normal(shape), axis=1)


def test_every_field_of_a_plain_measurement():
    x = walk(5, 300, 2)
    r = task_continuity(x, dt=0.5, unit="s", name="walk", channel_names=["up", "down"])
    assert (r.name, r.kind_of_data, r.dt, r.unit, r.window) == ("walk", "real", 0.5, "s", None)
    assert (r.n_sequences, r.n_pieces, r.n_samples, r.n_dropped) == (5, 5, 1500, 0)
    assert (r.n_skipped, r.n_missing, r.n_groups, r.group) == (0, 0, 5, "sequence")
    assert list(r.discontinuity) == [2, 4, 8, 16, 32, 64]
    assert r.continuity == 1 - r.discontinuity[2]
    assert r.interval[0] < r.continuity < r.interval[1]
    assert r.horizon_time == r.horizon * 0.5
    assert r.worst_channel in ("up", "down")
    assert [c.name for c in r.channels] == ["up", "down"]
    assert r.horizon == min(c.horizon for c in r.channels)
    assert {row.channel for row in r.profile} == {None, "up", "down"}
    assert all(row.dt == row.stride * 0.5 for row in r.profile)
    assert all(row.low <= row.discontinuity <= row.high for row in r.profile)
    assert r.outcome is Outcome.MEASURED and not r.reasons


def test_pooled_profile_is_the_mean_over_channels_of_ratios_of_sums():
    x = np.concatenate([walk(4, 100, 1), 50 * np.random.default_rng(1).random((4, 100, 1))], axis=2)
    r = task_continuity(x, strides=[2])
    d = []
    for c in range(2):
        e = x[:, 1:-1:2, c] - (x[:, :-2:2, c] + x[:, 2::2, c]) / 2
        s2 = x[:, :, c].var(axis=1, ddof=1)
        d.append((e**2).sum() / (s2 * 1.5 * e.shape[1]).sum())
    assert r.discontinuity[2] == pytest.approx(np.mean(d), rel=1e-12)
    assert [row.discontinuity for row in r.profile] == pytest.approx([np.mean(d), *d], rel=1e-12)


def test_round_trip_through_json_and_arrow():
    x = walk(3, 90, 2)
    x[0, 10, 0] = np.nan
    for r in (
        task_continuity(x, window=30),
        task_continuity(np.ones((2, 20))),
        task_continuity(np.arange(200).reshape(2, 100) % 7, kind="tokens"),
    ):
        text = r.to_json()
        assert "NaN" not in text and "Infinity" not in text
        assert read_result(text) == r
        assert TaskContinuity.from_dict(json.loads(text)) == r
        assert r.to_arrow().num_rows == len(r.profile) == len(r.rows())


def test_a_null_always_has_a_reason():
    inputs = [
        (np.ones((2, 20)), {}),
        (walk(1, 3), {}),
        (np.random.default_rng(0).standard_normal((4, 50)), {}),
        (np.arange(100) % 7, {"kind": "tokens"}),
        (np.arange(100.0), {}),
    ]
    for x, options in inputs:
        r = task_continuity(x, **options)
        nullable = ("continuity", "interval", "exponent", "nugget", "worst_channel")
        for field in (*nullable, "intermittency", "event_error", "redrawn_error"):
            assert (getattr(r, field) is None) == (field in r.reasons), field
            assert r.reasons.get(field, "-")
        assert all(c.reason for c in r.channels if c.exponent is None)


def test_summary_fits_80_columns_and_says_what_matters():
    x = sines_with_noise(1, 20_000, frequencies=[1.0, 3.0], noise_share=0.06, dt=1e-3)
    r = task_continuity(x, dt=1e-3, unit="s", name="sensor")
    text = repr(r)
    lines = text.splitlines()
    assert max(len(line) for line in lines) <= 80
    assert 6 <= len(r.summary_lines()) <= 12
    assert "task continuity: sensor" in text
    assert ">=64 samples, >=0.064 s" in text
    many = task_continuity(walk(3, 200, 4), window=64, channel_names=["<b>", "b", "c", "d"])
    assert "9 pieces of 64 samples; 3 remainders dropped" in repr(many)
    assert "<b>" not in many._repr_html_()


def test_constant_data_are_an_outcome():
    r = task_continuity(np.full((3, 40, 2), 0.1))
    assert r.outcome is Outcome.CONSTANT
    assert r.discontinuity == {} and r.continuity is None and r.horizon == 1
    assert all(row.discontinuity is None for row in r.profile)
    assert all(c.outcome is Outcome.CONSTANT for c in r.channels)


def test_a_resting_channel_is_left_out_and_named():
    x = walk(3, 100, 2)
    alone = task_continuity(x[:, :, :1])
    x[:, :, 1] = 1e6 + 1e-10 * np.random.default_rng(0).random((3, 100))  # rounding, not variation
    r = task_continuity(x, channel_names=["moving", "stuck"])
    assert r.discontinuity == alone.discontinuity
    assert r.worst_channel == "moving"
    assert any("stuck" in note for note in r.notes)


def test_noise_alone_is_rough():
    r = task_continuity(np.random.default_rng(0).standard_normal((20, 400)))
    assert r.outcome is Outcome.ROUGH and r.exponent is None and r.nugget is None
    assert r.horizon == 1 and not r.horizon_open


def test_noise_that_hides_the_law_is_a_noise_floor():
    # a ramp of variance 1 under noise of variance .25: D = .2 at every stride
    rng = np.random.default_rng(0)
    x = np.linspace(-(3**0.5), 3**0.5, 4000) + 0.5 * rng.standard_normal((40, 4000))
    r = task_continuity(x)
    assert r.outcome is Outcome.NOISE_FLOOR and r.exponent is None
    # nu = .25 / 1.25; D(2), of 80,000 squares, is off by sqrt(2 / 80,000) = .5 %; four of those
    assert r.nugget == pytest.approx(0.2, rel=0.02)
    assert r.horizon == 64 and r.horizon_open


def test_too_few_strides_for_a_law():
    r = task_continuity(walk(4, 100), strides=[2, 4, 8])
    assert r.outcome is Outcome.TOO_FEW_LEVELS
    assert "law needs 4" in r.reasons["exponent"]


def test_stride_two_is_always_measured_and_long_strides_are_left_out():
    r = task_continuity(walk(4, 20), strides=[8, 4, 19, 20])
    assert list(r.discontinuity) == [2, 4, 8, 19]
    assert any("20" in note for note in r.notes)


def test_missing_values_are_skipped_and_counted():
    x = walk(2, 9)
    x[0, 3] = np.nan  # triple (2, 3, 4) of stride 2, three triples of stride 4
    x[1, 4] = np.nan  # a kept sample: triples (2, 3, 4), (4, 5, 6); both intervals of stride 4
    r = task_continuity(x, strides=[2, 4])
    assert r.n_missing == 2
    assert r.n_skipped == (1 + 2) + (1 + 6)
    assert r.n_triples == 2 * (4 + 2 * 3)
    complete = task_continuity(np.where(np.isnan(x), 1e9, x), strides=[2, 4])
    assert r.discontinuity[2] != complete.discontinuity[2]


def test_intermittency_tells_jumps_from_brownian_motion():
    jumps = task_continuity(telegraph(20, 4000, rate=0.01))
    brown = task_continuity(fractional_brownian(20, 4000, hurst=0.5))
    # a residual is 0 or +-1, not 0 with probability 2 * .01 * .99: 1 - 3 * .0198 = .941; about 800
    # jumps give that probability to 1/sqrt(800) = 3.5 %, three of which are .0062
    assert jumps.intermittency == pytest.approx(0.941, abs=0.0062)
    # kurtosis of 40,000 Gaussian residuals: 3 +- sqrt(24 / 40,000) = .024
    assert brown.intermittency < 0.04
    assert jumps.exponent == pytest.approx(brown.exponent, abs=0.1)


def test_loudness_is_no_intermittency():
    loud = fractional_brownian(20, 2000, hurst=0.5) * np.geomspace(1, 1e3, 20)[:, None]
    assert task_continuity(loud).intermittency < 0.06


def test_a_rare_event_shows_in_the_event_error():
    # spikes of 20 samples in 1,000: D(8) passes the 5 %, yet 1 sample in 100 is far off
    slow = np.sin(2 * np.pi * np.arange(20_000) / 1000)[None]
    spikes = slow + np.tile(np.r_[np.hanning(21)[:20], np.zeros(980)], 20)
    calm, sharp = (task_continuity(x, strides=[2, 4, 8]) for x in (slow, spikes))
    assert calm.horizon == sharp.horizon == 8
    assert sharp.discontinuity[8] < 0.01
    assert calm.event_error < 1e-3 < 0.05 < sharp.event_error


def test_event_error_is_the_percentile_at_the_horizon():
    x = fractional_brownian(1, 4001, hurst=0.5)
    r = task_continuity(x)
    k = r.horizon
    kept = x[0, ::k]
    n = (len(kept) - 1) * k + 1
    line = np.interp(np.arange(n), np.arange(len(kept)) * k, kept)
    error = np.abs(x[0, :n] - line)[np.arange(n) % k > 0]
    assert r.event_error == pytest.approx(np.quantile(error, 0.99) / np.ptp(x), rel=1e-9)


def test_detrending_shows_fast_content_under_drift():
    t = np.arange(400)
    x = 1000 * t + np.sin(t / 2) + np.zeros((6, 1))
    plain, about_line = task_continuity(x), task_continuity(x, detrend="linear")
    still = task_continuity(np.sin(t / 2) + np.zeros((6, 1)), detrend="linear")
    assert plain.continuity > 0.999999
    assert about_line.continuity < 0.995
    # the drift has 1e6 * 400^2 / 12 / .5 = 2.7e10 times the variance that is left when its sum of
    # squares is subtracted from the whole: 2.7e10 * 2.2e-16 = 6e-6 are lost; a few of those
    assert about_line.discontinuity[2] == pytest.approx(still.discontinuity[2], rel=3e-5)
    assert about_line.detrend == "linear"


def test_windows_are_cut_without_overlap_and_remainders_are_counted():
    x = walk(4, 110)
    r = task_continuity(x, window=50)
    same = task_continuity(x[:, :100].reshape(8, 50))
    assert (r.n_pieces, r.n_dropped, r.n_samples) == (8, 4, 400)
    assert r.discontinuity == pytest.approx(same.discontinuity, rel=1e-12)
    assert r.n_groups == 4 and same.n_groups == 8  # pieces of a sequence are not independent
    ragged = task_continuity([x[0], x[1, :30], x[2, :50]], window=50)
    assert (ragged.n_pieces, ragged.n_dropped) == (3, 2)


def test_groups_of_the_interval():
    assert task_continuity(walk(3, 100)).group == "sequence"
    assert task_continuity(walk(1, 100)).group == "block"
    assert task_continuity(walk(1, 100), window=20).group == "piece"
    short = task_continuity(walk(1, 5))
    assert short.n_groups == 2 and short.interval is not None
    assert task_continuity(walk(1, 4)).interval is None


def test_interval_does_not_depend_on_the_run():
    x = walk(80, 60)
    assert task_continuity(x, seed=3).interval == task_continuity(x, seed=3).interval
    assert task_continuity(x, seed=3).interval != task_continuity(x, seed=4).interval


def test_blocks_give_an_interval_like_that_of_many_series():
    # the spread over series of length 4,000 of D(2) s^2 / E s^2, white noise: num has the relative
    # sd sqrt(2 / 2000) = .032, given s^2; 32 blocks estimate it to 1/sqrt(62) = 13 %; three of them
    x = np.random.default_rng(0).standard_normal(4000)
    low, high = task_continuity(x).interval
    assert (high - low) / 2 / 2.04 == pytest.approx(0.032, rel=0.4)


def test_float32_is_measured_like_float64():
    x = walk(3, 200).astype(np.float32)
    a, b = task_continuity(x), task_continuity(x.astype(np.float64))
    assert a.discontinuity == pytest.approx(b.discontinuity, rel=1e-12)


def test_tokens_are_not_read_as_sizes():
    x = np.random.default_rng(0).integers(0, 5, (10, 100))
    tokens, real = task_continuity(x, kind="tokens"), task_continuity(x)
    assert tokens.kind_of_data == "tokens" and real.kind_of_data == "real"
    renamed = task_continuity(np.array([7, -2, 900, 3, 55])[x], kind="tokens")
    assert renamed.discontinuity == pytest.approx(tokens.discontinuity, rel=1e-12)
    assert any("kind='tokens'" in note for note in real.notes)
    assert not tokens.notes


def test_many_distinct_integers_draw_no_hint():
    assert not task_continuity(np.random.default_rng(0).integers(0, 4096, (4, 100))).notes


def test_a_tensor_is_taken_as_it_is():
    torch = pytest.importorskip("torch")
    x = walk(2, 100, 2)
    expected = task_continuity(x).discontinuity
    tensor = torch.tensor(x, requires_grad=True)
    assert task_continuity(tensor).discontinuity == expected
    assert task_continuity(list(tensor)).discontinuity == expected
    half = task_continuity(tensor.to(torch.bfloat16))
    assert half.discontinuity[64] == pytest.approx(expected[64], rel=0.1)


def test_arrays_do_not_import_torch():
    code = (
        "import sys, numpy as np; from timegrain import task_continuity; "
        "repr(task_continuity(np.arange(50.) ** 2)); "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ({"strides": []}, "strides"),
        ({"strides": [1, 2]}, "strides"),
        ({"strides": [2, 2]}, "strides"),
        ({"strides": [2.5]}, "strides"),
        ({"strides": 5}, "strides"),
        ({"strides": None}, "strides"),
        ({"strides": "2,4"}, "strides"),
        ({"strides": [2, None]}, "strides"),
        ({"strides": [10**30]}, "strides"),
        ({"kind": "tokens", "detrend": "linear"}, "no line that could be removed"),
        ({"kind": ["real"]}, "kind"),
        ({"unit": ""}, "unit"),
        ({"unit": 5}, "unit"),
        ({"name": None}, "name"),
        ({"seed": 1.0}, "seed"),
        ({"tol": None}, "tolerance"),
        ({"tol": 0}, "tolerance"),
        ({"tol": 1.5}, "tolerance"),
        ({"detrend": "quadratic"}, "detrend"),
        ({"seed": -1}, "seed"),
        ({"replicates": 10}, "replicates"),
        ({"kind": "symbols"}, "kind"),
        ({"channel_names": ["a", "b"]}, "channel names"),
        ({"window": 2}, "window"),
        ({"window": 10.5}, "window"),
        ({"window": True}, "window"),
    ],
)
def test_options_outside_their_domain(option, text):
    with pytest.raises(ConfigError, match=text):
        task_continuity(walk(2, 50), **option)

"""What people read: every figure named for what it is."""

import re

import numpy as np
import pytest

from timegrain.continuity.task.measure import task_continuity
from timegrain.core.outcome import Outcome
from timegrain.data.processes import fractional_brownian, sines_with_noise

T = np.arange(6000) / 100


def lines(r):
    assert max(len(line) for line in repr(r).splitlines()) <= 80
    return dict(r.summary_lines())


def tone(frequency, *, seed=0):
    phase = np.random.default_rng(seed).uniform(0, 2 * np.pi)
    return np.sin(2 * np.pi * frequency * T + phase)


def walk(*shape, seed=0):
    return np.cumsum(np.random.default_rng(seed).standard_normal(shape), axis=1)


def test_the_horizon_names_d_its_scale_and_the_error_of_what_is_redrawn():
    r = task_continuity(fractional_brownian(1, 401, hurst=0.5)[0], dt=0.01, unit="s")
    text = lines(r)["horizon"]
    k, d = r.horizon, r.discontinuity[r.horizon]
    assert text.startswith(f"{k} samples, {k / 100:g} s ({100 / k:.3g} Hz): D({k}) = {d:.2g}, ")
    assert "within 0.05 of its noise share (shuffled data: 1)" in text
    assert f"miss by {100 * r.redrawn_error:.2g} % of the variance, mean square" in text
    assert r.redrawn_error > 1.5 * d
    assert "lost" not in repr(r)


@pytest.mark.parametrize(
    ("dt", "unit", "text"),
    [
        (1.0, "ms", "64 samples, >=64 ms (15.6 Hz or less)"),
        (1.0, "h", "64 samples, >=2.67 d (one sample each 2.67 d or less often)"),
        (3600.0, "s", "(one sample each 2.67 d or less often)"),
        (1.0, "month", "64 samples, >=64 months:"),
        (0.5, "time unit", "64 samples, >=32 time units:"),
        (1.0, "sample", ">=64 samples:"),
    ],
)
def test_a_time_is_a_rate_too(dt, unit, text):
    assert text in lines(task_continuity(tone(0.05), dt=dt, unit=unit))["horizon"]


def test_a_rate_of_irregular_times_is_an_average():
    times = np.cumsum(np.random.default_rng(0).exponential(1, 6000) + 1e-3)
    text = lines(task_continuity(np.sin(times / 1000), times=times, unit="ms"))["horizon"]
    assert " Hz or less on average)" in text


def test_without_a_horizon_the_comparison_is_printed_in_digits_that_differ():
    x = 0.5 * tone(0.2)
    rough = x + 0.3 * np.random.default_rng(0).standard_normal(6000)
    r = task_continuity(np.stack([x, rough], axis=1), layout="tc", channel_names=["slow", "fast"])
    d = 1 - r.channels[1].continuity
    near = task_continuity(rough, tol=d * (1 - 1e-4), strides=[2])
    left, right = re.search(r"D = (\S+) > (\S+) \(shuffled", lines(near)["horizon"]).groups()
    assert float(left) > float(right)
    assert lines(near)["horizon"].startswith("1 sample; at stride 2 D = ")


def test_channels_are_named_in_the_order_of_their_horizons():
    x = np.stack([tone(0.05, seed=i) for i in range(9)], axis=1)
    x[:, 4] = tone(20.0)
    x[:, 7] = tone(1.0)
    names = [f"c{i}" for i in range(9)]
    r = task_continuity(x, layout="tc", channel_names=names)
    text = lines(r)
    assert text["D at stride"].endswith("(mean of 9 channels)")
    assert text["horizon"].startswith("1 sample; c4 at stride 2: D = ")
    assert text["horizons"].startswith("c4: 1, c7: 16, c")
    assert text["horizons"].count(">=64") == 4 and text["horizons"].endswith(" and 3 more")
    slower = task_continuity(np.delete(x, 4, axis=1), layout="tc")
    worst = next(p for p in slower.profile if p.channel == "6" and p.stride == slower.horizon)
    assert f"D(16) of channel 6 = {worst.discontinuity:.2g}," in lines(slower)["horizon"]
    assert "mean of" not in repr(task_continuity(x[:, 0]))
    assert "horizons" not in lines(task_continuity(x[:, 0]))


def test_a_fast_tone_counts_as_noise_and_the_note_says_what_is_given_up():
    # a quarter of the rate: kept and redrawn samples share nothing
    x = np.sin(2 * np.pi * 0.2 * T) + 0.3 * np.sin(2 * np.pi * 25 * T + 0.4)
    r = task_continuity(x, dt=0.01, unit="s")
    assert r.horizon == 64 and r.discontinuity[2] > r.tolerance
    assert "noise, quantisation, or content too fast for the samples" in lines(r)["noise share"]
    (note,) = (n for n in r.notes if "given up" in n)
    assert f"only because {100 * r.nugget:.2g} % of the variance counts as noise" in note
    both = task_continuity(np.stack([np.sin(T), x], axis=1), layout="tc")
    assert any("part of the variance of 1 (" in n for n in both.notes)
    assert not any("given up" in n for n in task_continuity(np.sin(T)).notes)
    quiet = sines_with_noise(1, 6000, frequencies=[0.1], noise_share=0.01, dt=0.01)
    assert not any("given up" in n for n in task_continuity(quiet).notes)


def test_too_few_levels_says_what_stands_and_what_to_try():
    text = lines(task_continuity(walk(4, 100), strides=[2, 4, 8]))
    assert text["outcome"].startswith("TOO_FEW_LEVELS: only 3 strides have D <= .3")
    assert text["outcome"].endswith("so none is fitted; D and the horizon stand")
    assert text["try"].startswith("strides closer together")
    straight = task_continuity(np.arange(100.0))
    assert straight.outcome is Outcome.TOO_FEW_LEVELS
    assert lines(straight)["outcome"].startswith("TOO_FEW_LEVELS: no stride has D <= .3 above")
    assert lines(straight)["try"].startswith("longer strides")


@pytest.mark.parametrize(
    ("x", "outcome"),
    [
        (np.random.default_rng(0).standard_normal((20, 400)), Outcome.ROUGH),
        (np.ones((3, 40)), Outcome.CONSTANT),
        (walk(4, 400), Outcome.MEASURED),
    ],
)
def test_every_outcome_but_measured_has_a_cure(x, outcome):
    r = task_continuity(x)
    assert r.outcome is outcome
    assert lines(r).get("try") == (None if outcome is Outcome.MEASURED else outcome.cure)


def test_what_was_left_out_stands_beside_how_much_there_was():
    x = walk(2, 101, 2)
    x[0, 3, 0] = np.nan
    r = task_continuity(x, strides=[2])
    text = lines(r)["data"]
    assert text.endswith("; 1 value missing; 1 of 200 comparisons touched them and were left out")
    x[1, 5, 1] = np.nan
    assert "2 values missing; 2 of 200" in lines(task_continuity(x, strides=[2]))["data"]


def test_units_and_strides_have_their_plurals():
    r = task_continuity(walk(4, 64), dt=1.0, unit="month", window=32)
    assert "8 pieces of 32 samples, 32 months" in lines(r)["window"]
    assert any(
        n == "strides left out, longer than every piece (32 samples): 32, 64" for n in r.notes
    )

"""Planted truths: what `advise` has to find when it is known what carries the label."""

import numpy as np
import pytest

from timegrain.advice import advise
from timegrain.core.outcome import Outcome
from timegrain.data.dataset import Dataset

RECORDINGS, LENGTH, WINDOW = 16, 4000, 250


def recordings(make, *, hz, seed=0, **more):
    """Return recordings of two classes; `make(rng, t, label)` gives `(time, channel)`."""
    rng = np.random.default_rng(seed)
    labels = np.arange(RECORDINGS) % 2
    t = np.arange(LENGTH) / hz
    sequences = tuple(make(rng, t, int(label)) for label in labels)
    return Dataset(
        name="planted",
        sequences=sequences,
        labels=labels,
        class_names=("no", "yes"),
        dt=1 / hz,
        unit="s",
        **more,
    )


def wave(rng, t, hz):
    return np.sin(2 * np.pi * hz * t + rng.uniform(0, 6))


def rhythm(rng, t, label):
    fast = wave(rng, t, 3.0) * (0.8 if label else 0.0)
    return (2 * wave(rng, t, 0.3) + fast + 0.1 * rng.normal(size=len(t)))[:, None]


def burst(rng, t, label):
    # faded in and out: a hard edge would leave content at every frequency
    on = np.maximum(wave(rng, t, 1.5), 0) ** 2 * (0.06 if label else 0.0)
    still = wave(rng, t, 0.8) + 0.5 * wave(rng, t, 0.37)
    return (still + on * wave(rng, t, 40.0) + 0.005 * rng.normal(size=len(t)))[:, None]


def test_a_slow_rhythm_may_be_sampled_slowly():
    advice = advise(recordings(rhythm, hz=100.0), windows=[WINDOW], strides=(2, 4, 8), repeats=1)
    assert advice.outcome is Outcome.MEASURED
    assert advice.stride == 8  # 12.5 Hz shows a rhythm of 3 Hz
    assert advice.score > 0.95 and advice.retention > 0.95
    assert advice.cost_share == pytest.approx((1 + 1 / 2 + 1 / 4 + 1 / 8) / 4)


def test_a_fast_burst_keeps_the_rate_although_the_curve_is_smooth():
    data = recordings(burst, hz=250.0)
    advice = advise(data, windows=[WINDOW], strides=(2, 4, 8), repeats=1)
    assert advice.horizon >= 8  # the curve alone would permit more
    assert advice.stride == 2  # 125 Hz shows 40 Hz, 62.5 Hz does not
    lost = advice.at(4)
    # thinned without a filter the burst folds back and is still seen; behind a filter it is gone
    assert lost.thinned.retention > 0.9 > 0.5 > lost.filtered.retention
    assert lost.weaker is lost.filtered
    assert "after the filter" in dict(advice.summary_lines())["one lower"]


def test_order_of_symbols_forbids_subsampling():
    rng = np.random.default_rng(1)
    labels = np.arange(120) % 2
    flips = [rng.permutation(np.repeat([0, 1], 32)) for _ in labels]
    pairs = [np.stack([f, f if y else 1 - f], axis=1).ravel() for f, y in zip(flips, labels)]  # noqa: B905
    data = Dataset(
        name="order",
        sequences=tuple(p.astype(np.int64) for p in pairs),
        labels=labels,
        class_names=("apart", "equal"),
        kind="tokens",
    )
    advice = advise(data, strides=(2, 4), repeats=1)
    assert advice.stride == 1 and advice.score > 0.9
    assert advice.at(2).thinned.retention < 0.5
    assert "keep the rate" in dict(advice.summary_lines())["advice"]
    assert any("symbols cannot be filtered" in text for text in advice.unknown)


def test_nothing_carries_nothing():
    noise = recordings(lambda rng, t, _: rng.normal(size=(len(t), 1)), hz=100.0)
    advice = advise(noise, windows=[WINDOW], strides=(2, 4), repeats=1)
    assert advice.outcome is Outcome.CANNOT_TELL and advice.stride is None
    assert advice.retention is None and advice.next_stride is None
    assert dict(advice.summary_lines())["advice"].startswith("none: ")


def test_without_labels_the_curve_permits_nothing():
    data = recordings(rhythm, hz=100.0)
    bare = Dataset(name="bare", sequences=data.sequences, dt=data.dt, unit="s")
    advice = advise(bare)
    assert advice.outcome is Outcome.CANNOT_TELL and advice.stride is None
    assert "there is no label" in advice.reasons["stride"] and advice.horizon >= 2
    assert advice.rows() == [] and type(advice).from_dict(advice.to_dict()) == advice


def test_the_channel_that_needs_the_rate_is_named():
    def make(rng, t, label):
        return np.concatenate([rhythm(rng, t, 0), burst(rng, t, label)], axis=1)

    data = recordings(make, hz=250.0, channel_names=("still", "burst"))
    advice = advise(data, windows=[WINDOW], strides=(2, 4), repeats=1)
    assert advice.limiting_channel == "burst" and advice.limiting_loss > 0.1
    assert "burst" in dict(advice.summary_lines())["limited by"]
    assert type(advice).from_dict(advice.to_dict()) == advice


def test_the_shortest_window_that_does_as_well_is_chosen():
    advice = advise(
        recordings(rhythm, hz=100.0),
        windows=["500ms", "2s", "4s"],
        strides=(2,),
        repeats=1,
        max_cases=200,
    )
    assert advice.window == 50
    lines = dict(advice.summary_lines())
    assert {"window 50 *", "window 200", "window 400"} <= set(lines)
    assert all(row["window"] in (50, 200, 400) for row in advice.rows())


def test_a_forecast_is_not_helped_by_smoothing_what_it_forecasts():
    rng = np.random.default_rng(0)
    ring = np.zeros(6000)
    for i in range(2, len(ring)):  # the next value rests on the last two
        ring[i] = 1.9 * np.cos(2.0) * ring[i - 1] - 0.9025 * ring[i - 2] + rng.normal()
    x = np.stack([ring, rng.normal(size=len(ring)).cumsum() / 30], axis=1)
    data = Dataset(name="ring", sequences=(x,), channel_names=("ring", "drift"))
    advice = advise(
        data, windows=[16], ahead=1, target="ring", strides=(2, 4), repeats=1, max_cases=400
    )
    assert advice.stride == 1 and advice.limiting_channel == "ring"
    assert advice.limiting_loss > 0.02


def test_a_window_that_cannot_be_measured_is_named():
    data = recordings(rhythm, hz=100.0)
    advice = advise(data, windows=[WINDOW, 3 * LENGTH], strides=(2,), repeats=1, max_cases=100)
    assert any(f"windows of {3 * LENGTH} samples" in text for text in advice.unknown)

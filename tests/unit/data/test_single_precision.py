"""float32 stays float32 in memory, and every number is that of the same values in float64."""

from dataclasses import fields, replace

import numpy as np
import pytest

from timegrain import dataset_continuity, label_retention
from timegrain.advice.sampling.limiting import redrawn
from timegrain.data import Dataset, load_dataset, make_task, make_windows
from timegrain.data.dials import add_noise, decimate, window_shuffle
from timegrain.data.uniform import uniform

RNG = np.random.default_rng(8)


def pair(**changes) -> tuple[Dataset, Dataset]:
    x = np.cumsum(RNG.normal(size=(24, 300, 2)), axis=1).astype(np.float32) + np.float32(1000)
    x[3, 40:44] = np.nan
    made = {
        "name": "d",
        "sequences": tuple(x),
        "labels": np.arange(24) % 2,
        "class_names": ("a", "b"),
        "dt": 0.01,
        "unit": "s",
    }
    single = Dataset(**{**made, **changes})
    return single, replace(single, sequences=tuple(s.astype(np.float64) for s in single.sequences))


@pytest.mark.parametrize("detrend", [None, "linear"])
def test_continuity_is_that_of_the_same_values_in_float64(detrend):
    single, double = (dataset_continuity(d, window=128, detrend=detrend) for d in pair())
    for a, b in zip(single.profile, double.profile, strict=True):
        # sums of 10^4 products, each rounded to 2e-16
        assert a.discontinuity == pytest.approx(b.discontinuity, rel=1e-12)
    for name in ("continuity", "event_error", "autocorrelation", "spectral_edge", "intermittency"):
        assert getattr(single, name) == pytest.approx(getattr(double, name), rel=1e-9), name
    assert (single.horizon, single.outcome) == (double.horizon, double.outcome)


@pytest.mark.parametrize("decimator", ["phase", "fir"])
def test_retention_and_forecasts_are_the_same(decimator):
    options = {"strides": (2,), "repeats": 1, "replicates": 99, "decimator": decimator}
    x = np.cumsum(RNG.normal(size=(1, 1500, 1)), axis=1).astype(np.float32)
    for changes, words in (
        ({}, {}),
        ({"sequences": tuple(x), "labels": None, "class_names": ()}, {"window": 32, "ahead": 2}),
    ):
        single, double = (label_retention(d, **words, **options) for d in pair(**changes))
        assert [r.score or 0.0 for r in single.profile] == pytest.approx(
            [r.score or 0.0 for r in double.profile], rel=1e-9
        )


def test_tasks_are_the_same_to_the_last_bit():
    single, double = (make_task(d) for d in pair())
    assert np.array_equal(single.train.x, double.train.x)
    assert np.array_equal(single.test.x, double.test.x)
    cut = make_windows(pair(labels=None, class_names=())[0], window=20, ahead=3, target="0")
    assert cut.sequences[0].dtype == np.float32 and cut.labels.dtype == np.float64


@pytest.mark.parametrize(
    "change",
    [
        lambda d: add_noise(d, 10),
        lambda d: window_shuffle(d, 4),
        lambda d: decimate(d, 3),
        lambda d: d.permuted(),
        lambda d: uniform(replace(d, dt=0.01), 200),
        lambda d: redrawn(d, 1, 2),
    ],
)
def test_changed_data_are_the_same(change):
    single, double = (change(d) for d in pair())
    for a, b in zip(single.sequences, double.sequences, strict=True):
        np.testing.assert_array_equal(a, b)
    assert {f.name for f in fields(single)} == {f.name for f in fields(double)}


def test_files_are_not_widened(tmp_path):
    x = RNG.normal(size=(5, 60, 2)).astype(np.float32)
    np.save(tmp_path / "a.npy", x)
    np.savez(tmp_path / "b.npz", x=x)
    np.save(tmp_path / "c.npy", x.astype(">f4"))
    np.save(tmp_path / "d.npy", x.astype(np.float16))
    mapped = load_dataset(tmp_path / "a.npy")
    assert mapped.sequences[0].dtype == np.float32
    assert isinstance(mapped.sequences[0].base, np.memmap | np.ndarray)
    assert not mapped.sequences[0].flags.owndata
    assert load_dataset(tmp_path / "b.npz").sequences[0].dtype == np.float32
    for name in ("c.npy", "d.npy"):
        assert load_dataset(tmp_path / name).sequences[0].dtype == np.float64


def test_an_infinite_value_is_found_wherever_it_is(monkeypatch):
    monkeypatch.setattr("timegrain.data.check._BLOCK", 7)
    x = np.zeros((30, 2), dtype=np.float32)
    x[23, 1] = np.inf
    with pytest.raises(Exception, match="sample 23, channel 1"):
        Dataset(name="x", sequences=(x,))

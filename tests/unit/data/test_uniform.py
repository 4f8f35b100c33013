import numpy as np
import pytest

from timegrain.core.errors import ConfigError, DataError
from timegrain.data import Dataset, load_dataset
from timegrain.data.uniform import uniform

RNG = np.random.default_rng(11)
NAMES = ("rest", "walk")


def jittered(n: int = 3000, *, hz: float = 100.0, share: float = 0.04) -> np.ndarray:
    t = np.sort((np.arange(n) + share * RNG.normal(size=n)) / hz)
    return t - t[0]


def recording(f: float = 2.0, **changes) -> Dataset:
    t = jittered()
    made = {
        "name": "w",
        "sequences": (np.sin(2 * np.pi * f * t)[:, None],),
        "times": (t,),
        "dt": 0.01,
        "unit": "s",
    }
    return Dataset(**{**made, **changes})


@pytest.mark.parametrize("hz", [100, 103, 50, 40, 25.0])
def test_a_sine_at_uneven_times_comes_back_at_any_rate(hz):
    data = uniform(recording(), hz)
    assert data.times is None and data.dt == 1 / hz and data.unit == "s"
    x = data.sequences[0][:, 0]
    assert abs((len(x) - 1) / hz - 30) < 1.1 / hz + 0.01
    inside = slice(2 * int(hz), -2 * int(hz))
    error = np.abs(x - np.sin(2 * np.pi * 2 * np.arange(len(x)) / hz))[inside].max()
    # (pi f h)^2 / 2 with h = 1.2 steps of .01 s on lines; 1e-5 on splines, 1e-6 the filter
    assert error < (2.9e-3 if hz >= 95 else 2e-5)


def test_a_tone_the_new_rate_cannot_show_is_gone():
    slow = uniform(recording(f=30.0), 50).sequences[0][50:-50, 0]
    assert 10 * np.log10(2 * np.mean(slow**2)) < -40
    # without the filter it would stand there in full, at 20 Hz
    plain = recording(f=30.0).sequences[0][::2, 0]
    assert 10 * np.log10(2 * np.mean(plain**2)) > -0.2


def test_gaps_stay_open_and_short_parts_are_emptied():
    t = jittered()
    x = np.stack([np.sin(t), np.cos(t)], axis=1)
    x[1000:1040] = np.nan
    x[1300:1310] = np.nan
    data = uniform(recording(sequences=(x,), times=(t,)), 50)
    lost = np.isnan(data.sequences[0])
    assert np.array_equal(lost[:, 0], lost[:, 1])
    at = np.arange(len(lost)) / 50
    # from 10 s to 10.4 s a gap, then 2.6 s, shorter than the filter's 9.66 s of 50 Hz / 2
    inside = (at > t[999] + 0.02) & (at < t[1310] - 0.02)
    assert lost[inside].all() and not lost[(at < t[999] - 0.02) | (at > t[1310] + 0.04)].any()
    said = " ".join(data.notes)
    assert "lie in gaps" in said and "shorter than the filter needs, 4.83 s" in said
    near = uniform(recording(sequences=(x,), times=(t,)), 100)
    assert np.isnan(near.sequences[0]).mean() == pytest.approx(50 / 3000, rel=0.1)


def test_a_long_step_without_empty_rows_is_a_gap_too():
    t = jittered()
    t[1500:] += 1.0
    data = uniform(recording(sequences=(np.sin(t)[:, None],), times=(t,)), 100)
    assert np.isnan(data.sequences[0]).sum() in (100, 101)


def test_classes_follow_the_latest_sample_and_values_lie_on_lines():
    t = jittered()
    classes = (t > 12.345).astype(np.int64)
    data = recording(targets=(classes,), class_names=NAMES, times=(t,))
    for hz in (100, 50, 20):
        target = uniform(data, hz).targets[0]
        at = np.arange(len(target)) / hz
        sure = np.abs(at - 12.345) > 0.012
        assert np.array_equal(target[sure], (at > 12.345)[sure])
    values = t.copy()
    values[(t > 4) & (t < 5)] = np.nan
    target = uniform(recording(targets=(values,), times=(t,)), 50).targets[0]
    at = np.arange(len(target)) / 50
    known = ~np.isnan(target)
    np.testing.assert_allclose(target[known], at[known], atol=1e-9)
    assert known[(at < 3.98) | (at > 5.02)].all() and not known[(at > 4.02) & (at < 4.98)].any()


def test_all_else_stays_and_starts_count_in_new_steps():
    t = jittered(2000)
    x = np.sin(t)[:, None]
    data = recording(
        sequences=(x, x, x),
        times=(t, t, t),
        ids=("a", "a", "b"),
        groups=np.array([0, 0, 1]),
        starts=np.array([0, 2000, 0]),
        labels=np.array([1, 0, 1]),
        class_names=NAMES,
    )
    made = uniform(data, 50)
    assert made.ids == data.ids and np.array_equal(made.groups, data.groups)
    assert np.array_equal(made.labels, data.labels) and made.class_names == NAMES
    assert made.starts.tolist() == [0, 1000, 0]


@pytest.mark.parametrize("unit, size", [("ms", 1e3), ("h", 1 / 3600), ("us", 1e6)])
def test_other_units_are_converted(unit, size):
    data = recording()
    other = recording(
        sequences=data.sequences, times=(data.times[0] * size,), dt=0.01 * size, unit=unit
    )
    wanted, got = uniform(data, 50), uniform(other, 50)
    assert (got.dt, got.unit) == (0.02, "s")
    # times agree to rounding, and the sine is 13 / s steep at most
    np.testing.assert_allclose(got.sequences[0], wanted.sequences[0], atol=1e-11)


def test_even_samples_with_gaps_and_a_clock_that_is_almost_right():
    x = np.sin(np.arange(4000) * 0.05)[:, None]
    x[1800:1810] = np.nan
    even = Dataset(name="e", sequences=(x,), dt=0.01, unit="s")
    data = uniform(even, 50)
    assert np.isnan(data.sequences[0]).sum() == 5 and "from 100 Hz to 50 Hz" in data.notes[0]
    np.testing.assert_allclose(data.sequences[0][100:800], x[200:1600:2], atol=1e-5)
    close = uniform(Dataset(name="e", sequences=(x,), dt=0.01 + 1e-9, unit="s"), 50)
    np.testing.assert_array_equal(close.sequences[0], data.sequences[0])
    off = uniform(Dataset(name="e", sequences=(x,), dt=1 / 99.3, unit="s"), 50)
    assert "uneven" not in off.notes[0] or "99.3" in off.notes[0]
    inside = off.sequences[0][100:800, 0]
    at = (np.arange(100, 800) / 50) * 99.3
    np.testing.assert_allclose(inside, np.sin(0.05 * at), atol=1e-5)


def test_recordings_of_different_rates_come_to_one():
    t, slow = jittered(), jittered(1500, hz=50.0)
    data = recording(sequences=(np.sin(t)[:, None], np.sin(slow)[:, None]), times=(t, slow))
    made = uniform(data, 50)
    for x in made.sequences:
        inside = x[100:-100, 0]
        # lines at 50 Hz: h^2 / 8 with h = .025 s
        np.testing.assert_allclose(
            inside, np.sin(np.arange(100, 100 + len(inside)) / 50), atol=1e-4
        )


def test_what_cannot_be_done_is_refused():
    data = recording()
    with pytest.raises(ConfigError, match="more would be made up"):
        uniform(data, 120)
    with pytest.raises(ConfigError, match="positive number of Hz"):
        uniform(data, 0)
    bare = Dataset(name="d", sequences=(np.zeros((9, 1)),))
    with pytest.raises(ConfigError, match=r"(?s)not known in Hz.*dt="):
        uniform(bare, 50)
    with pytest.raises(ConfigError, match="time unit: ns"):
        uniform(recording(unit="month"), 50)
    tokens = Dataset(name="d", sequences=(np.zeros(9, dtype=np.int64),), kind="tokens", unit="s")
    with pytest.raises(ConfigError, match="symbols"):
        uniform(tokens, 50)
    with pytest.raises(DataError, match=r"(?s)no value .*three times the filter"):
        uniform(data, 5)


def test_sequences_without_a_value_are_left_out_by_name():
    t, short = jittered(), jittered(300)
    data = recording(
        sequences=(np.sin(t)[:, None], np.sin(short)[:, None]),
        times=(t, short),
        ids=("long", "short"),
        labels=np.array([0.5, 1.5]),
    )
    made = uniform(data, 50)
    assert made.ids == ("long",) and made.labels.tolist() == [0.5]
    assert made.notes[-1].endswith("left out: short")


def make() -> Dataset:
    return recording()


def test_files_and_functions_take_the_rate(tmp_path):
    x = np.sin(np.arange(2000) * 0.05)
    np.save(tmp_path / "a.npy", x)
    data = load_dataset(tmp_path / "a.npy", layout="t", dt=0.01, common_hz=50)
    assert len(data.sequences[0]) == 1000 and data.dt == 0.02
    with pytest.raises(ConfigError, match="not known in Hz"):
        load_dataset(tmp_path / "a.npy", layout="t", common_hz=50)
    assert load_dataset(f"{__name__}:make", common_hz=50).dt == 0.02

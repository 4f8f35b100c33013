"""What `task_continuity` takes and what it refuses."""

import numpy as np
import pytest

from timegrain.continuity.task.measure import task_continuity
from timegrain.core.errors import ConfigError, DataError, GridError, LayoutError
from timegrain.data import Dataset

X = np.cumsum(np.random.default_rng(0).standard_normal((3, 40, 2)), axis=1)


@pytest.mark.parametrize(
    ("x", "layout"),
    [
        (X, "btc"),
        (X.transpose(0, 2, 1), "bct"),
        (list(X), "btc"),
        (tuple(X), "tc"),
        ([x.T for x in X], "bct"),
        ([x.T for x in X], "ct"),
        ([x.tolist() for x in X], "btc"),
    ],
)
def test_layouts_of_the_same_data(x, layout):
    expected = task_continuity(X).discontinuity
    assert task_continuity(x, layout=layout).discontinuity == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("x", "layout", "shape"),
    [
        (X[0, :, 0], "btc", (1, 1)),
        (X[0, :, 0], "t", (1, 1)),
        (X[0, :, 0].tolist(), "btc", (1, 1)),
        (X[:, :, 0], "btc", (3, 1)),
        (X[:, :, 0], "bt", (3, 1)),
        (X[0], "tc", (1, 2)),
        (X[0].T, "ct", (1, 2)),
        ([X[0, :, 0], X[1, :9, 0]], "bt", (2, 1)),
    ],
)
def test_what_an_axis_is_follows_from_the_layout(x, layout, shape):
    r = task_continuity(x, layout=layout)
    assert (r.n_sequences, len(r.channels)) == shape


@pytest.mark.parametrize(
    ("x", "layout"),
    [
        (X, "bt"),
        (X, "tc"),
        (X[0], "bct"),
        (X[0, :, 0], "bt"),
        (X[None], "btc"),
        (X, "tbc"),
        (X, "bt c"),
        ([X[0], X[1, :, :1]], "btc"),
        ([X[0]], "bt"),
        ([X[0, :, 0]], "bct"),
        ([X], "btc"),
    ],
)
def test_a_layout_that_does_not_fit(x, layout):
    with pytest.raises(LayoutError):
        task_continuity(x, layout=layout)


@pytest.mark.parametrize(
    ("x", "options", "hint"),
    [
        (np.zeros((50, 2, 400)), {}, "layout='bct', if the axis of 400 is time"),
        (np.zeros((50, 400, 2)), {"layout": "bct"}, "layout='btc', if the axis of 400 is time"),
        ([np.zeros((2, 400))], {}, "layout='bct', if the axis of 400 is time"),
        (np.zeros((2, 400)), {"layout": "tc"}, "layout='ct', if the axis of 400 is time"),
        (np.zeros((6000, 2)), {}, "layout='tc', if the axis of 6,000 is time"),
        (np.zeros((50, 7, 400)), {"window": 100}, "layout='bct', if the axis of 400 is time"),
        (np.zeros((50, 7, 40)), {"window": 100}, "window=7 or less"),
        (np.zeros((2, 2)), {"window": 100}, None),
    ],
)
def test_sequences_too_short_name_the_layout_that_would_fit(x, options, hint):
    with pytest.raises(DataError, match="no sequence is long enough") as caught:
        task_continuity(x, **options)
    assert caught.value.hint == hint


@pytest.mark.parametrize(
    ("shape", "layout", "note"),
    [
        ((600, 3), "btc", "read as 600 series of 3 samples; layout='tc' would read one series of"),
        ((9, 8), "btc", "layout='tc' would read one series of 9 samples"),
        ((5, 4, 60), "btc", "in 60 channels; if the last axis is time: layout='bct'"),
        ((600, 3), "bt", None),
        ((9, 9), "btc", None),
        ((5, 60, 4), "btc", None),
    ],
)
def test_axes_that_may_be_meant_otherwise_are_the_first_note(shape, layout, note):
    x = np.random.default_rng(0).integers(0, 5, shape)  # draws the note on whole numbers too
    first = task_continuity(x, layout=layout).notes[0]
    assert (note in first) if note else ("whole numbers" in first)


def test_a_loaded_dataset_is_sent_to_its_own_function():
    with pytest.raises(DataError, match=r"timegrain.dataset_continuity\(dataset\)"):
        task_continuity(Dataset(name="d", sequences=(X[0],)))


def test_many_short_series_draw_a_hint_not_a_switch():
    r = task_continuity(X[0][:, :1].repeat(3, 1).repeat(2, 0))
    assert r.n_sequences == 80
    assert any("layout='tc'" in note for note in r.notes)


@pytest.mark.parametrize(
    "x",
    [
        X.astype(complex),
        X.astype(object),
        np.array([["a", "b", "c"]]),
        np.array(["2020-01-01", "2020-01-02", "2020-01-03"], dtype="datetime64[D]"),
        [X[0], "text"],
        [[1.0, 2.0, 3.0], [1.0, [2.0]]],
        {"a": 1},
        None,
        np.where(X > 3, np.inf, X),
        np.where(X > 3, -np.inf, X),
        np.full((2, 9), np.inf),
        [],
        np.empty((0, 10)),
        np.empty((3, 0)),
        np.empty((3, 10, 0)),
        [np.empty(0)],
        X[:, :1],
        X[:, :2],
        [[1.0], [2.0]],
        np.full((2, 9), np.nan),
        np.where(np.arange(40) % 2, np.nan, 1.0),
        "OSULeaf",
        3.0,
    ],
)
def test_data_that_cannot_be_measured(x):
    with pytest.raises((DataError, LayoutError)) as caught:
        task_continuity(x)
    assert "Traceback" not in str(caught.value) and len(str(caught.value)) > 20


def test_errors_say_what_to_try():
    with pytest.raises(DataError, match=r"kind='tokens'"):
        task_continuity(np.array([["a", "b", "c"]]))
    with pytest.raises(DataError, match=r"window=40 or less"):
        task_continuity(X, window=41)
    with pytest.raises(DataError, match=r"astype"):
        task_continuity(X, kind="tokens")
    with pytest.raises(LayoutError, match=r"no channel axis"):
        task_continuity(np.ones((2, 9, 2), dtype=int), kind="tokens")


def test_sequences_too_short_are_counted():
    r = task_continuity([X[0], X[1, :2], X[2, :0]])
    assert (r.n_sequences, r.n_pieces, r.n_dropped) == (3, 1, 2)
    assert r.group == "sequence" and r.interval is None


def test_irregular_times_set_the_weights():
    # a parabola: e = -(t1 - t0)(t2 - t1), whatever the steps
    t = np.array([0.0, 1.0, 4.0, 5.0, 7.0])
    r = task_continuity(t**2, times=t, strides=[2])
    w = np.array([1 / 4, 1 / 3])
    square = (1.0 * 3.0) ** 2 + (1.0 * 2.0) ** 2
    weight = (1 + (1 - w) ** 2 + w**2).sum()
    assert r.discontinuity[2] == pytest.approx(square / ((t**2).var(ddof=1) * weight))
    assert r.dt == 7 / 4


def test_lines_are_continuous_on_any_times():
    t = np.sort(np.random.default_rng(0).random((4, 200)), axis=1)
    r = task_continuity(3 * t + 2, times=t)
    # e rounds to a few eps of values up to 5, s^2 is about .75
    assert all(d < (10 * 5 * 2.2e-16) ** 2 for d in r.discontinuity.values())


@pytest.mark.parametrize("shared", [True, False])
def test_times_in_every_form(shared):
    t = np.cumsum(np.random.default_rng(0).exponential(1, (3, 40)) + 0.01, axis=1)
    if shared:
        t[:] = t[0]
    expected = task_continuity(X, times=list(t))
    assert task_continuity(X, times=t).discontinuity == expected.discontinuity
    if shared:
        assert task_continuity(X, times=t[0]).discontinuity == expected.discontinuity
    cuts = (40, 30, 20)
    ragged = task_continuity(
        [x[:n] for x, n in zip(X, cuts, strict=True)],
        times=[s[:n] for s, n in zip(t, cuts, strict=True)],
    )
    assert ragged.n_samples == 90


def test_windows_take_the_times_along():
    t = np.cumsum(np.random.default_rng(0).exponential(1, 40) + 0.01)
    whole = task_continuity(X[0], times=t, window=20, layout="tc")
    parts = task_continuity(X[0].reshape(2, 20, 2), times=t.reshape(2, 20))
    assert whole.discontinuity == pytest.approx(parts.discontinuity, rel=1e-12)


@pytest.mark.parametrize(
    ("times", "text"),
    [
        (np.zeros(40), "must increase"),
        (np.r_[0:39, 38], "must increase"),
        (np.arange(40)[::-1], "must increase"),
        (np.arange(39), "do not fit"),
        (np.r_[0:39, np.nan], "finite"),
        (np.r_[0:39, np.inf], "finite"),
        (np.arange(80).reshape(2, 40), "do not fit"),
        ([np.arange(40)] * 2, "do not fit"),
        (5.0, "do not fit"),
    ],
)
def test_times_that_cannot_be_used(times, text):
    with pytest.raises(GridError, match=text):
        task_continuity(X, times=times)


def test_a_mask_is_missing():
    x = X.copy()
    x[0, 10] = 1e6
    masked = np.ma.array(x, mask=x == 1e6)
    x[0, 10] = np.nan
    assert task_continuity(masked).to_dict()["profile"] == task_continuity(x).to_dict()["profile"]
    assert task_continuity(list(masked)).n_missing == 2
    with pytest.raises(DataError, match="none of them missing, got a mask"):
        task_continuity(np.ma.array(np.arange(9), mask=np.arange(9) == 3), kind="tokens")


@pytest.mark.parametrize("start", [2**53, 2**60, -(2**62), 2**63 - 10_001])
@pytest.mark.parametrize("form", [np.asarray, list])
def test_whole_numbers_beyond_what_a_float_can_hold(start, form):
    k = np.arange(100)
    small = np.stack([k**2, k % 7], axis=1)[None]
    large = small + np.array([start, 0])
    r, plain = task_continuity(form(large)), task_continuity(small)
    assert r.to_dict()["profile"] == plain.to_dict()["profile"]
    assert r.exponent == plain.exponent
    assert any(str(start) in note for note in r.notes)


def test_a_range_that_no_float_can_hold():
    wide = np.stack([np.arange(9.0), np.arange(-4, 5) * 4e307], axis=1)
    with pytest.raises(DataError, match="the range of channel 1 is more than a float64 can hold"):
        task_continuity(wide[None])
    r = task_continuity(wide[4:, 1])
    assert r.outcome.name == "TOO_FEW_LEVELS"
    assert task_continuity(np.full((3, 50), 1.7e308)).outcome.name == "CONSTANT"


def test_nanoseconds_since_1970_are_times():
    k = np.cumsum(np.random.default_rng(0).integers(1, 9, 40))
    expected = task_continuity(X, times=k)
    found = task_continuity(X, times=1_700_000_000_000_000_000 + k)
    assert (found.dt, found.exponent) == (expected.dt, expected.exponent)
    assert found.discontinuity == expected.discontinuity


@pytest.mark.parametrize(
    ("times", "text"),
    [
        (np.array([0, 2**62, *range(2**62 + 1, 2**62 + 39)]), "tell apart"),
        (np.arange(-20, 20) * 8e306, "span more"),
        (np.r_[0.0, 1e-300, np.arange(1, 39) * 1e30], "too short beside the others"),
        (np.arange(40) * 1j, "complex"),
        ("x", "text"),
        (np.datetime64("2020-01-01") + np.arange(40), "timedelta64"),
    ],
)
def test_times_that_a_float_cannot_hold(times, text):
    with pytest.raises(GridError, match=text):
        task_continuity(X, times=times)


@pytest.mark.parametrize("dt", [0, -1, np.nan, np.inf, "1", None, True, 1j, 10**400, -(10**400)])
def test_steps_that_cannot_be_used(dt):
    with pytest.raises(GridError, match="positive"):
        task_continuity(X, dt=dt)


def test_a_step_whose_multiples_overflow():
    with pytest.raises(ConfigError, match="more than a float64 can hold"):
        task_continuity(X, dt=1e307, strides=[2, 100])
    assert task_continuity(X, dt=1e307, strides=[2]).horizon_time < np.inf
    with pytest.raises(ConfigError, match="a longer time unit"):
        task_continuity(X, times=np.arange(40) * 4e306, strides=[2, 64])


def test_a_step_too_short_for_a_rate_is_printed_without_one():
    for dt, unit in ((1e-320, "s"), (5e-324, "ns"), (1e300, "d")):
        assert task_continuity(np.arange(99.0), dt=dt, unit=unit).horizon == 64
        text = repr(task_continuity(np.arange(99.0), dt=dt, unit=unit))
        assert "inf" not in text and "nan" not in text


@pytest.mark.parametrize("names", [5, "ab", [1, 2], [None, "x"], b"ab", [b"a", b"b"]])
def test_channel_names_are_words(names):
    with pytest.raises(ConfigError, match="a list of words"):
        task_continuity(X, channel_names=names)
    assert task_continuity(X, channel_names=np.array(["a", "b"])).channels[1].name == "b"


def test_channel_names_must_differ():
    with pytest.raises(ConfigError, match="differ"):
        task_continuity(X, channel_names=["a", "a"])

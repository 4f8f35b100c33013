"""What belongs to a sample is at its instant at every rate; the truth is a function of time."""

from fractions import Fraction

import numpy as np
import pytest

from timegrain.data import Dataset, load_dataset
from timegrain.data.common_rate import at_rate
from timegrain.data.uniform import uniform

NAMES = ("rest", "walk", "run")
# old rate, new rate: down, up, the same, and ratios of whole numbers
RATES = [
    (50, 25),
    (50, 10),
    (50, 20),
    (50, 40),
    (50, 50),
    (50, 100),
    (50, 75),
    (100, 62.5),
    (20, 50),
    (256, 100),
]
# in no ratio of numbers up to 1,000: these go through times
ODD = [(50.0123, 25), (99.317, 40)]
N = 9000


def truth(seconds: np.ndarray) -> np.ndarray:
    """Classes that change every 2.34 s, as a function of time."""
    return (np.floor((seconds + 1e-9) / 2.34) % 3).astype(np.int64)


def since_change(seconds: np.ndarray) -> np.ndarray:
    return (seconds + 1e-9) % 2.34


def recording(hz: float, n: int = N, **changes) -> Dataset:
    t = np.arange(n) / hz
    made = {
        "name": "w",
        "sequences": (np.sin(2 * t)[:, None],),
        "dt": 1 / hz,
        "unit": "s",
        "targets": (truth(t),),
        "class_names": NAMES,
    }
    return Dataset(**{**made, **changes})


def latest_exactly(n: int, hz: float, new: float) -> np.ndarray:
    """The old sample at or before each new instant, in whole numbers."""
    ratio = Fraction(str(hz)) / Fraction(str(new))
    return np.array([int(j * ratio) for j in range(n)])


@pytest.mark.parametrize("hz, new", RATES + ODD)
def test_classes_are_those_of_the_latest_sample(hz, new):
    old = recording(hz)
    made = uniform(old, new)
    found = made.targets[0]
    assert len(found) == len(made.sequences[0]) == int((N - 1) * Fraction(new) / Fraction(hz)) + 1
    np.testing.assert_array_equal(found, old.targets[0][latest_exactly(len(found), hz, new)])
    at = np.arange(len(found)) / new
    # a class is known from the sample on that shows it
    late = truth(at) != found
    assert since_change(at[late]).max(initial=0) < 1 / hz
    np.testing.assert_allclose(made.sequences[0][200:-200, 0], np.sin(2 * at[200:-200]), atol=1e-3)


@pytest.mark.parametrize("hz, new", RATES + ODD)
def test_values_of_samples_lie_at_their_instants(hz, new):
    t = np.arange(N) / hz
    clock = t.copy()
    clock[1000:1100] = np.nan
    found = uniform(recording(hz, targets=(clock,), class_names=()), new).targets[0]
    at = np.arange(len(found)) / new
    known = ~np.isnan(found)
    # a target that says the time
    np.testing.assert_allclose(found[known], at[known], atol=1e-9 * at[-1])
    inside = (at > t[999] + 1e-9) & (at < t[1100] - 1e-9)
    np.testing.assert_array_equal(~known, inside)


@pytest.mark.parametrize("hz, new", [(50, 25), (50, 20), (50, 40), (50, 50)])
@pytest.mark.parametrize("jitter", [0.0, 0.04])
def test_times_of_their_own_do_not_change_where_targets_are(hz, new, jitter):
    random = np.random.default_rng(3)
    t = (np.arange(N) + np.clip(random.normal(size=N), -3, 3) * jitter) / hz
    t -= t[0]
    data = recording(hz, times=(t,), sequences=(np.sin(2 * t)[:, None],), targets=(truth(t),))
    made = uniform(data, new)
    at = np.arange(len(made.targets[0])) / new
    near = since_change(at) < 1.3 / hz
    np.testing.assert_array_equal(made.targets[0][~near], truth(at)[~near])
    clock = uniform(recording(hz, times=(t,), targets=(t,), class_names=()), new).targets[0]
    np.testing.assert_allclose(clock, at, atol=1e-6 / hz)


def parts(hz: float, lengths: tuple[int, ...], **changes) -> Dataset:
    """Parts of one recording, each on a clock of its own that goes on in the truth."""
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
    spans = [(s + np.arange(n)) / hz for s, n in zip(starts, lengths, strict=True)]
    made = {
        "sequences": tuple(np.sin(2 * t)[:, None] for t in spans),
        "targets": tuple(truth(t) for t in spans),
        "ids": ("a",) * len(lengths),
        "groups": np.zeros(len(lengths), dtype=np.int64),
        "starts": starts,
    }
    return recording(hz, **{**made, **changes})


@pytest.mark.parametrize(
    "new, timed", [*((new, timed) for new in (25, 20, 40, 50) for timed in (0, 1)), (100, 0)]
)
def test_parts_of_a_recording_keep_their_place(new, timed):
    hz, lengths = 50, (3000, 4000, 2500)
    times = tuple(np.arange(n) / hz for n in lengths) if timed else None
    data = parts(hz, lengths, times=times)
    made = uniform(data, new)
    np.testing.assert_allclose(made.starts / new, data.starts / hz, atol=1 / new)
    for start, found, x in zip(data.starts / hz, made.targets, made.sequences, strict=True):
        at = start + np.arange(len(found)) / new
        sure = since_change(at) >= 1 / hz
        np.testing.assert_array_equal(found[sure], truth(at)[sure])
        np.testing.assert_allclose(x[200:-200, 0], np.sin(2 * at[200:-200]), atol=2e-3)


def test_parts_at_rates_of_their_own_keep_their_place():
    slow, fast = np.arange(3000) / 50, np.arange(6000) / 100
    data = Dataset(
        name="w",
        sequences=tuple(np.sin(t)[:, None] for t in (slow, slow, fast, fast)),
        times=(slow, slow, fast, fast),
        dt=0.01,
        unit="s",
        ids=("a", "a", "b", "b"),
        groups=np.array([0, 0, 1, 1]),
        starts=np.array([0, 3000, 0, 7000]),
    )
    # "b" lacks 1,000 samples between its parts
    made = uniform(data, 25)
    assert made.starts.tolist() == [0, 1500, 0, 1750]


@pytest.mark.parametrize("new", [25, 20, 40, 50])
@pytest.mark.parametrize("time", ["time", None])
def test_a_table_cut_at_a_reset_and_with_rows_missing(tmp_path, new, time):
    n, cut = 6000, 3500
    t = np.arange(n) / 50
    clock = np.where(np.arange(n) < cut, t, t - 60.0) + 1.7e9
    keep = np.ones(n, dtype=bool)
    if time:
        keep[1500:1540] = False
    label = truth(t)
    rows = [
        f"p,{clock[i]:.3f},{np.sin(2 * t[i]):.6f},{NAMES[label[i]]},{t[i]:.3f}"
        for i in np.flatnonzero(keep)
    ]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["id,time,x,what,when", *rows]) + "\n")
    words = {"id": "id", "value": ("x",), "common_hz": new, "time": time}
    words |= {} if time else {"dt": 0.02}
    classes = load_dataset(path, target="what", **words)
    values = load_dataset(path, target="when", **words)
    assert len(classes) == (2 if time else 1)
    for i, x in enumerate(classes.sequences):
        start = 0 if classes.starts is None else classes.starts[i] / new
        assert start in (0, cut / 50)
        at = start + np.arange(len(x)) / new
        there = ~np.isnan(x[:, 0])
        np.testing.assert_allclose(
            x[there][200:-200, 0], np.sin(2 * at[there][200:-200]), atol=3e-3
        )
        sure = there & (since_change(at) >= 0.02)
        said = [classes.class_names[c] for c in classes.targets[i][sure]]
        assert said == [NAMES[c] for c in truth(at)[sure]]
        when = values.targets[i]
        known = ~np.isnan(when)
        np.testing.assert_allclose(when[known], at[known], atol=1e-6)
        assert known.mean() > 0.97 and there.mean() > 0.97


def test_labels_of_sequences_and_the_published_split_stay():
    data = parts(50, (3000, 4000, 2500), targets=None, labels=np.array([2, 0, 1]), n_train=2)
    made = uniform(data, 20)
    assert made.labels.tolist() == [2, 0, 1] and made.n_train == 2 and made.targets is None


@pytest.mark.parametrize("new", [25, 20, 40, 100])
def test_files_that_know_their_rate_keep_the_place_of_parts(new):
    # readers of such files make no targets; starts are all that could move
    data = parts(50, (3000, 4000, 2500), targets=None, class_names=())
    made = at_rate((data,), new)
    assert (made.starts / new).tolist() == (data.starts / 50).tolist()
    for start, x in zip(made.starts / new, made.sequences, strict=True):
        at = start + np.arange(len(x)) / new
        np.testing.assert_allclose(x[200:-200, 0], np.sin(2 * at[200:-200]), atol=1e-5)

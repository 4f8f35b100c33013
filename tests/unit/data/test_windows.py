import numpy as np
import pytest

from timegrain.core.errors import ConfigError, DataError
from timegrain.data import load_task, make_task, make_windows
from timegrain.data.dataset import Dataset


def recordings(*lengths, **more):
    """Channel 0 counts samples, channel 1 is the number of the recording."""
    parts = tuple(
        np.stack([np.arange(n), np.full(n, i)], axis=1).astype(float) for i, n in enumerate(lengths)
    )
    return Dataset(name="rec", sequences=parts, channel_names=("count", "which"), **more)


def test_windows_remember_where_they_are_from():
    cut = make_windows(recordings(10, 3, 7), window=4, hop=3)
    assert cut.ids == ("0", "0", "0", "2", "2")
    assert cut.starts.tolist() == [0, 3, 6, 0, 3]
    assert cut.groups[0] == cut.groups[2] != cut.groups[3]
    for sequence, start, name in zip(cut.sequences, cut.starts, cut.ids, strict=True):
        assert sequence[:, 0].tolist() == list(range(start, start + 4))
        assert sequence[0, 1] == int(name)
    assert np.shares_memory(cut.sequences[0], cut.sequences[1])
    assert "5 windows of 4 samples" in cut.notes[-1] and "1 recording too short" in cut.notes[-1]


def test_parts_of_one_recording_stay_one():
    parts = recordings(6, 6, ids=("a", "a"), starts=np.array([0, 100]), n_train=None)
    cut = make_windows(parts, window=3)
    assert cut.starts.tolist() == [0, 3, 100, 103]
    assert set(cut.groups.tolist()) == {0}


def test_groups_and_published_parts_are_kept():
    data = recordings(4, 4, 4, groups=np.array([7, 7, 9]), n_train=2)
    cut = make_windows(data, window=2)
    assert cut.groups.tolist() == [7, 7, 7, 7, 9, 9]
    assert cut.n_train == 4


def test_times_are_cut_along():
    times = (np.array([0.0, 1, 3, 6, 10]),)
    cut = make_windows(recordings(5, times=times, unit="s"), window=2, hop=2)
    assert [t.tolist() for t in cut.times] == [[0, 1], [3, 6]]


def test_the_label_is_that_of_the_recording():
    data = recordings(4, 4, labels=np.array([1, 0]), class_names=("a", "b"))
    assert make_windows(data, window=2).labels.tolist() == [1, 1, 0, 0]


def test_the_label_is_the_target_at_the_last_sample():
    target = np.array([0.0, 1, 2, np.nan, 4, 5])
    cut = make_windows(recordings(6, targets=(target,)), window=2, hop=1)
    assert cut.labels.tolist() == [1, 2, 4, 5]
    assert cut.starts.tolist() == [0, 1, 3, 4]
    assert "1 window without a known target left out" in cut.notes[-1]
    classes = (np.array([0, 0, 1, 1, 0, 0]),)
    cut = make_windows(recordings(6, targets=classes, class_names=("x", "y")), window=2)
    assert cut.labels.tolist() == [0, 1, 0] and cut.targets is None


def test_a_forecast_is_what_comes_later():
    cut = make_windows(recordings(10), window=3, hop=2, ahead=2, target="count")
    assert cut.labels.tolist() == [4, 6, 8]
    assert [s[-1, 0] for s in cut.sequences] == [2, 4, 6]
    # labels of recordings have another meaning and are gone
    data = recordings(10, labels=np.array([1]), class_names=("a", "b"))
    cut = make_windows(data, window=3, ahead=1, target="which")
    assert cut.class_names == () and cut.labels.dtype == np.float64


def test_a_forecast_of_the_target_beside_the_samples():
    cut = make_windows(recordings(6, targets=(np.arange(6.0) * 10,)), window=2, ahead=1)
    assert cut.labels.tolist() == [20, 40]


def test_the_next_symbol():
    tokens = (np.array([0, 1, 2, 0, 1, 2, 0]),)
    data = Dataset(name="t", sequences=tokens, kind="tokens", vocabulary=("a", "b", "c"))
    cut = make_windows(data, window=2, hop=1, ahead=1)
    assert cut.labels.tolist() == [2, 0, 1, 2, 0] and cut.class_names == ("a", "b", "c")


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"window": 1}, ConfigError, "window is too short"),
        ({"window": 4, "hop": 0}, ConfigError, "hop is too short"),
        ({"window": 11}, DataError, "as long as a window"),
        ({"window": 9, "ahead": 2}, DataError, "2 of them ahead"),
        ({"window": 4, "ahead": 1}, ConfigError, "which channel of 'rec'.*count, which"),
        ({"window": 4, "ahead": 1, "target": "speed"}, ConfigError, "no such channel"),
        ({"window": 4, "target": "count"}, ConfigError, "without ahead"),
        ({"window": 4, "ahead": 0, "target": "count"}, ConfigError, "looks ahead"),
    ],
)
def test_what_cannot_be_cut(options, error, match):
    with pytest.raises(error, match=match):
        make_windows(recordings(10), **options)


def test_no_target_is_known():
    with pytest.raises(DataError, match="no window of 'rec' has a known target"):
        make_windows(recordings(4, targets=(np.full(4, np.nan),)), window=2)


def test_a_task_of_windows_keeps_recordings_apart():
    data = recordings(*[40] * 10, labels=np.arange(10) % 2, class_names=("a", "b"))
    task = make_task(make_windows(data, window=8, hop=4))
    sides = [{task.dataset.ids[i] for i in part.index} for part in (task.train, task.test)]
    assert not sides[0] & sides[1] and len(sides[1]) == 2
    assert any("2 of 10 recordings were set aside" in n for n in task.notes)
    assert any("classes in train / test: a 50 / 50 %" in n for n in task.notes)


def test_a_task_of_one_recording_is_split_in_time(tmp_path):
    random = np.random.default_rng(0)
    np.save(tmp_path / "one.npy", random.normal(size=(500, 1)))
    task = load_task(tmp_path / "one.npy", layout="tc", window=20, hop=5, ahead=3)
    starts = task.dataset.starts
    last = starts[task.train.index].max() + 20 + 3
    # no sample, forecasts included, is on both sides, and a window's length lies between
    assert last + 20 <= starts[task.test.index].min()
    assert (task.target_kind, task.d_output) == ("value", 1)
    assert any("the last fifth of the recording tests" in n for n in task.notes)


def test_load_task_takes_times_for_lengths(tmp_path):
    np.savez(
        tmp_path / "x.npz", x=np.random.default_rng(0).normal(size=(12, 100)), y=np.arange(12) % 2
    )
    task = load_task(tmp_path / "x.npz", target="y", dt=0.01, unit="s", window="0.2s", hop="100ms")
    assert task.train.x.shape[1] == 20
    assert len(task.train) + len(task.test) == 12 * 9
    with pytest.raises(ConfigError, match="not cut into windows, got hop='1s'"):
        load_task(tmp_path / "x.npz", target="y", hop="1s")


def test_a_target_a_sample_needs_a_window():
    with pytest.raises(DataError, match=r"(?s)a target a sample.*window="):
        make_task(recordings(10, targets=(np.arange(10.0),)))


def test_windows_in_a_gap_are_left_out():
    x = np.arange(40.0)[:, None]
    x[12:15] = np.nan  # three of the second window's eight samples
    x[20] = np.nan  # one of the third
    data = Dataset(name="x", sequences=(x,), targets=(np.arange(40.0),))
    cut = make_windows(data, window=8)
    assert cut.starts.tolist() == [0, 16, 24, 32]
    assert any("1 window in gaps left out" in note for note in cut.notes)
    x[31] = np.nan  # the label of a window belongs to a last sample that is not there
    assert make_windows(data, window=8).starts.tolist() == [0, 16, 32]
    x[:] = np.nan
    with pytest.raises(DataError, match="every window of 'x' is in a gap"):
        make_windows(data, window=8)

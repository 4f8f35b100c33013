import numpy as np
import pytest

from timegrain.core.errors import ConfigError, DataError
from timegrain.data import load_dataset, load_task
from timegrain.data.forecast import load_to_forecast
from timegrain.training import load_recorded


def table(path, act, other="{:.3f}"):
    """Six recordings of a walk, and what a person does, by the sign of it."""
    random = np.random.default_rng(0)
    lines = ["id,x,act"]
    for i in range(6):
        walk = np.cumsum(random.normal(size=60))
        lines += [f"r{i},{other.format(v)},{act(i, k, v)}" for k, v in enumerate(walk)]
    path.write_text("\n".join(lines) + "\n")
    return path


def forecast(path, target="act"):
    return load_to_forecast(lambda column: load_dataset(path, id="id", target=column), target)


def test_words_are_forecast_as_classes(tmp_path):
    path = table(tmp_path / "w.csv", lambda i, k, v: "walk" if v > 0 else "sit")
    data, channel = forecast(path)
    assert channel is None and data.channel_names == ("x",)
    assert data.class_names == ("sit", "walk") and data.targets is not None
    task = load_task(path, id="id", target="act", window=8, ahead=3)
    # the class three samples after a window's last one
    assert task.target_kind == "class" and task.dataset.labels[0] == data.targets[0][7 + 3]


def test_numbers_are_forecast_as_numbers_and_say_so(tmp_path):
    path = table(tmp_path / "n.csv", lambda i, k, v: int(v > 0))
    data, channel = forecast(path)
    assert channel == "act" and data.channel_names == ("x", "act")
    assert "act is forecast as a number, from its past values too; where its 2" in data.notes[-1]
    assert load_task(path, id="id", target="act", window=8, ahead=3).target_kind == "value"
    plain, channel = forecast(path, "x")
    assert channel == "x" and not any("forecast" in n for n in plain.notes)


def test_a_label_that_does_not_change_has_no_forecast(tmp_path):
    path = table(tmp_path / "c.csv", lambda i, k, v: "ab"[i % 2])
    with pytest.raises(DataError, match="'act' of 'c' cannot be forecast: it is one a sequence"):
        forecast(path)


def test_wrong_cells_are_no_words(tmp_path):
    path = table(tmp_path / "e.csv", lambda i, k, v: "?!" if (i, k) == (2, 5) else f"{v:.2f}")
    with pytest.raises(DataError, match="line 127: column 'act' holds no number"):
        forecast(path)
    path = table(tmp_path / "o.csv", lambda i, k, v: "ab"[k % 2], other="x{:.1f}")
    with pytest.raises(DataError, match="line 2: column 'x' holds no number"):
        forecast(path)


@pytest.fixture(params=["npy", "npz"])
def array(request, tmp_path):
    """One walk of three channels, in either kind of file."""
    values = np.cumsum(np.random.default_rng(0).normal(size=(2000, 3)), axis=0)
    path = tmp_path / f"long.{request.param}"
    np.save(path, values) if request.param == "npy" else np.savez(path, x=values)
    return path, values


@pytest.mark.parametrize("target", [2, "2"])
@pytest.mark.parametrize("lazy", [False, True])
def test_channels_of_an_array_are_forecast_by_number(array, target, lazy):
    path, values = array
    task = load_task(path, layout="tc", target=target, hz=100, window="1s", ahead="50ms", lazy=lazy)
    # float32 holds numbers of this size to about 1e-6
    assert task.dataset.labels[:3] == pytest.approx(values[[104, 204, 304], 2])
    assert task.ahead == 5 and task.d_input == 3
    assert any("is channel 2 5 samples after its last" in note for note in task.notes)


def test_recordings_with_their_task_are_forecast_by_number_too(array):
    path, values = array
    made = load_recorded(path, layout="tc", target=1, window=100, ahead=5)
    assert made.task.dataset.labels[0] == pytest.approx(values[104, 1])


def test_one_channel_needs_no_target(tmp_path):
    path = tmp_path / "one.npy"
    np.save(path, np.cumsum(np.random.default_rng(0).normal(size=(500, 1)), axis=0))
    assert load_task(path, layout="tc", window=20, ahead=2).target_kind == "value"


def test_wrong_channels_of_an_array_are_named_with_those_there_are(array):
    path, _ = array
    words = {"layout": "tc", "window": 100, "ahead": 5}
    for target, said in ((None, "which channel"), (3, "no such"), ("x ", "no such"), (-1, "no")):
        with pytest.raises(ConfigError, match=rf"{said}.*target= one of 0, 1, 2"):
            load_task(path, target=target, **words)
    with pytest.raises(ConfigError, match="or the number of a channel, got True"):
        load_task(path, target=True, **words)
    with pytest.raises(ConfigError, match=r"(?s)takes a word.*ahead= with it"):
        load_task(path, target=0, layout="tc", window=100)


def test_whole_numbers_of_a_channel_without_name_are_said(tmp_path):
    path = tmp_path / "steps.npy"
    np.save(path, np.random.default_rng(0).integers(0, 3, (400, 2)).astype(float))
    task = load_task(path, layout="tc", target=1, window=20, ahead=2)
    assert any(note.startswith("channel 1 is forecast as a number") for note in task.notes)


def test_an_array_read_the_other_way_is_told_its_layout(array):
    path, _ = array
    with pytest.raises(DataError, match="layout='tc', which would read one series of 2,000"):
        load_task(path, window=100, ahead=5)
    with pytest.raises(DataError, match="layout='tc', which would read one series of 2,000"):
        load_task(path)

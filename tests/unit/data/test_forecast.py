import numpy as np
import pytest

from timegrain.core.errors import DataError
from timegrain.data import load_dataset, load_task
from timegrain.data.forecast import load_to_forecast


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

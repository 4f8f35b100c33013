"""A target or a channel that is a constant is named."""

import numpy as np
import pytest

from timegrain.continuity import label_retention
from timegrain.core.errors import DataError
from timegrain.data import load_dataset, load_task
from timegrain.data.dataset import Dataset
from timegrain.data.tasks import make_task

N = 200


@pytest.fixture
def table(tmp_path):
    drawn = np.random.default_rng(0).normal(size=N)
    rows = [f"{i},{drawn[i]:.4f},3.0,2.5" for i in range(N)]
    path = tmp_path / "pump.csv"
    path.write_text("\n".join(["t,flow,valve,state", *rows]))
    return path


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [({"target": "valve", "ahead": 1}, "valve", "3"), ({"target": "state"}, "state", "2.5")],
)
def test_a_constant_target_is_named_with_its_value(table, words, name, value):
    with pytest.raises(DataError, match="do not vary") as caught:
        load_task(table, time="t", hz=1, window=10, **words)
    said = str(caught.value)
    assert f"its target '{name}' is a constant" in said
    assert f"got {value} in all 4 cases to test on and all " in said
    assert "0.0" not in said


def test_a_target_that_varies_in_training_alone_asks_for_another_split():
    y = np.array([0.0, 1.0, 2.0, 7.0, 7.0])
    data = Dataset(name="five", sequences=(np.arange(6.0)[:, None],) * 5, labels=y, n_train=3)
    with pytest.raises(DataError) as caught:
        make_task(data)
    assert "got 7 in all 2 cases to test on, expected" in str(caught.value)
    assert "another seed of the split" in str(caught.value)


def test_constant_channels_are_named_in_a_note(table):
    for lazy in (False, True):
        task = load_task(table, time="t", hz=1, window=10, ahead=1, target="flow", lazy=lazy)
        (note,) = [n for n in task.notes if "constant" in n]
        assert note.startswith("constant in the training part: channels valve, state;")


def test_the_probe_says_what_every_case_has(table):
    data = load_dataset(table, time="t", hz=1, target="state")
    with pytest.raises(DataError, match=r"the constant 2\.5 as target of all 20 cases"):
        label_retention(data, window=10, strides=(2,))

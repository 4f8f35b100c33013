"""Stored networks with random weights, and recordings long enough for the filter."""

import numpy as np
import pytest

from timegrain.data.dataset import Dataset
from timegrain.data.tasks import make_task
from timegrain.data.windows import find_windows, make_windows
from timegrain.models.build import build_model
from timegrain.training import input_scaling, load_checkpoint, save_checkpoint, target_scaling
from timegrain.training.deployment.recorded import RecordedTask


@pytest.fixture
def stored(tmp_path):
    """A function that stores a network for a task, as `train --output` does."""

    def store(task, name="s4d", **other):
        net = build_model(
            name, d_input=task.d_input, d_output=task.d_output, d_model=4, n_layers=1, seed=0
        )
        words = {
            "dt_trained": task.dt,
            "unit": task.unit,
            "task": task.name,
            "class_names": task.dataset.class_names,
            "channel_names": task.dataset.channel_names,
            "inputs": input_scaling(task),
            "targets": target_scaling(task),
        }
        return load_checkpoint(save_checkpoint(tmp_path / name, net, **(words | other)))

    return store


@pytest.fixture(scope="session")
def recorded():
    """Windows of 50 samples of ten recordings at 2 ms, of one class each."""
    random = np.random.default_rng(0)
    recordings = Dataset(
        name="long",
        sequences=tuple(random.normal(size=(1000, 2)) + k % 2 for k in range(10)),
        labels=np.arange(10) % 2,
        class_names=("a", "b"),
        channel_names=("x", "y"),
        dt=2.0,
        unit="ms",
    )
    task = make_task(make_windows(recordings, window=50))
    places = find_windows(recordings, window=50)
    return RecordedTask(task=task, recordings=recordings, places=places)

"""One training at a time in a directory."""

import os
import subprocess
import sys

import numpy as np
import pytest
import torch

from timegrain.core.errors import ConfigError, ResultError
from timegrain.models.build import build_model
from timegrain.training.loop import train
from timegrain.training.scaling import Scaling
from timegrain.training.trainer.alone import LOCK_FILE, in_use, sole_use
from timegrain.training.trainer.snapshots import Snapshots

HOLD = """
import sys, time
from pathlib import Path
from timegrain.training.trainer.alone import sole_use
with sole_use(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def network():
    return build_model("gru", d_input=1, d_output=2, d_model=4, n_layers=1, seed=0)


def test_a_second_training_is_refused_and_a_killed_one_keeps_nobody_out(task, tmp_path):
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        assert in_use(tmp_path).startswith(f"process {other.pid} on ")
        with pytest.raises(ResultError, match=f"in use by process {other.pid} on "):
            train(network(), task, epochs=1, snapshots=tmp_path)
    finally:
        other.kill()
        other.wait()
    assert (tmp_path / LOCK_FILE).exists()
    assert in_use(tmp_path) is None
    train(network(), task, epochs=1, snapshots=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["snapshot-00000001.state"]


def test_a_directory_that_stays_empty_does_not_stay(tmp_path):
    with pytest.raises(ZeroDivisionError), sole_use(tmp_path / "a" / "b"):
        assert (tmp_path / "a" / "b" / LOCK_FILE).read_text().startswith(f"process {os.getpid()}")
        with pytest.raises(ResultError, match="another training writes here"):
            sole_use(tmp_path / "a" / "b").__enter__()
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


def test_what_has_the_name_of_a_snapshot_and_is_none_is_left(tmp_path):
    (tmp_path / "snapshot-00000003.state").mkdir()
    snapshots = Snapshots(tmp_path, keep=1)
    assert snapshots.latest() is None
    for step in range(2):
        path = snapshots.save({"step": step})
    assert path.name == "snapshot-00000005.state"
    assert snapshots.files() == [path]
    snapshots.clear()
    assert [p.name for p in tmp_path.iterdir()] == ["snapshot-00000003.state"]


@pytest.mark.parametrize("kind", [np.float32, torch.tensor])
def test_numbers_of_numpy_and_torch_are_recorded_as_those_of_python(kind, task, tmp_path):
    words = {"lr": 0.5, "weight_decay": 0.25, "clip": 0.5, "tau": 1.0, "dynamics_lr": 0.125}
    foreign = {name: kind(value) for name, value in words.items()}
    run = train(network(), task, epochs=1, snapshots=tmp_path, **foreign)
    same = train(network(), task, epochs=1, **words)
    assert run.provenance.parameters == same.provenance.parameters
    assert run.to_json()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"clip": "a"}, "clip='a'"),
        ({"clip": None}, "clip=None"),
        ({"weight_decay": None}, "weight_decay=None"),
        ({"tau": "x"}, "tau='x'"),
        ({"snapshots": 3}, "snapshots=3"),
        ({"snapshots": ""}, "snapshots=''"),
        ({"batch_size": 10**19}, "batch_size is a whole number"),
        ({"on_epoch": 3}, "on_epoch=3"),
        ({"resume": "yes", "snapshots": "x"}, "resume is a yes or no"),
        ({"targets": 1}, "targets=1"),
        ({"targets": Scaling(center=(0.0,), scale=(1.0,))}, "classes are not standardised"),
    ],
)
def test_options_that_are_no_numbers_or_places_are_refused(options, words, task):
    with pytest.raises(ConfigError, match=words):
        train(network(), task, epochs=1, **options)

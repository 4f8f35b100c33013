import inspect

import numpy as np
import pytest

from timegrain.cli.main import run
from timegrain.continuity import dataset_continuity, task_continuity
from timegrain.continuity.dataset import check_dataset
from timegrain.core.errors import DataError, TimegrainError
from timegrain.data import Dataset, load_dataset

X = np.cumsum(np.random.default_rng(0).standard_normal((3, 60, 2)), axis=1)


def test_what_the_dataset_knows_is_passed_on():
    data = Dataset(
        name="d",
        sequences=tuple(X),
        channel_names=("up", "down"),
        dt=0.5,
        unit="s",
        notes=("two clocks",),
    )
    r = dataset_continuity(data, strides=[2, 4], replicates=99)
    plain = task_continuity(X, strides=[2, 4], replicates=99)
    assert r.discontinuity == plain.discontinuity
    assert (r.name, r.dt, r.unit) == ("d", 0.5, "s")
    assert [c.name for c in r.channels] == ["up", "down"]
    assert r.notes[0] == "two clocks" and r.notes[1:] == plain.notes


def test_the_two_functions_take_the_same_options():
    of_arrays = set(inspect.signature(task_continuity).parameters)
    of_datasets = set(inspect.signature(dataset_continuity).parameters) - {"dataset"}
    known = {"x", "dt", "layout", "kind", "times", "name", "channel_names", "unit"}
    assert of_datasets == of_arrays - known


def test_arrays_are_sent_to_the_other_function():
    with pytest.raises(DataError, match=r"timegrain.task_continuity\(x\) for arrays"):
        dataset_continuity(X)


def test_a_file_read_along_the_wrong_axis(tmp_path):
    for shape, layout in (((50, 2, 400), "bct"), ((400, 2), "tc")):
        np.save(tmp_path / "a.npy", np.zeros(shape))
        with pytest.raises(DataError, match=f"layout={layout!r}, if the axis of 400 is time"):
            dataset_continuity(load_dataset(tmp_path / "a.npy"))


@pytest.mark.parametrize(
    "options",
    [
        {"window": 2},
        {"window": 3000},
        {"tol": 5},
        {"strides": (1, 2)},
        {"seed": -1},
        {"detrend": "quadratic"},
    ],
)
def test_what_the_measurement_refuses_is_refused_without_measuring(options, monkeypatch):
    data = load_dataset("ItalyPowerDemand")
    with pytest.raises(TimegrainError) as measured:
        dataset_continuity(data, **options)
    monkeypatch.setattr("timegrain.continuity.dataset.task_continuity", None)
    with pytest.raises(TimegrainError) as checked:
        check_dataset(data, **options)
    assert str(checked.value) == str(measured.value)
    check_dataset(data)


@pytest.mark.parametrize(
    ("words", "mention"),
    [
        (["--window", "2"], "window"),
        (["--tol", "5"], "tolerance"),
        (["--strides", "1"], "strides"),
        (["--output", "a_file"], "but it is a file"),
    ],
)
def test_a_dry_run_refuses_what_the_run_would(words, mention, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a_file").write_text("x")
    assert run(["data", "ItalyPowerDemand", "--dry-run", *words]) == 2
    assert mention in " ".join(capsys.readouterr().err.split())

"""Flags of `timegrain train` that say how a network is trained."""

import json
import sys
from types import ModuleType

import pytest

from timegrain.cli.main import run
from timegrain.core.output import read_output

SMALL = ["ItalyPowerDemand", "--d-model", "4", "--layers", "1", "--strides", "1", "--epochs", "8"]


def refused(capsys, *words):
    assert run(["train", "gru", *SMALL, *words]) == 2
    return capsys.readouterr().err


def test_a_learning_rate_is_found_and_its_cost_is_said_apart(capsys, tmp_path):
    out = tmp_path / "out"
    assert run(["train", "gru", *SMALL, "--lr", "auto", "--json", "--output", str(out)]) == 0
    (data,) = [d for d in json.loads(capsys.readouterr().out) if d["schema"] == "training-run"]
    rate = data["rate"]
    assert data["provenance"]["parameters"]["lr"] == rate["lr"]
    assert rate["rates"] == [0.001, 0.003, 0.01, 0.03]
    assert rate["epochs"] == 2
    assert rate["n_train"] + rate["n_held_out"] == data["n_train"] == 67
    assert rate["seconds"] > 0
    assert any(note.startswith("Found: learning rate") for note in data["notes"])
    stored = [part for part in read_output(out).results if part.kind == "training-run"]
    assert stored[0].rate.lr == rate["lr"]
    assert f"{rate['lr']:g}, found in" in repr(stored[0])


def test_the_same_rate_is_searched_by_the_stages_of_a_plan(capsys):
    assert run(["train", "gru", *SMALL[:-2], "--stages", "2:4,1:4", "--lr", "auto", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)[0]
    assert data["rate"]["epochs"] == 2
    assert data["plan"] == "2:4,1:4"


def test_options_reach_the_training(capsys):
    words = ["--amp", "bfloat16", "--accumulate", "2", "--batch-size", "8", "--patience", "2"]
    words += ["--validation", "0.3", "--deterministic", "--json"]
    assert run(["train", "gru", *SMALL, *words]) == 0
    data = json.loads(capsys.readouterr().out)[0]
    said = data["provenance"]["parameters"]
    assert {k: said[k] for k in ("amp", "accumulate", "patience", "validation")} == {
        "amp": "bfloat16",
        "accumulate": 2,
        "patience": 2,
        "validation": 0.3,
    }
    assert said["deterministic"] is True
    assert (data["batch_size"], data["n_train"]) == (16, 47)
    assert all(0 <= row["validation"] <= 1 for row in data["history"])


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--lr", "fast"], "--lr"),
        (["--lr", "0"], "got --lr 0.0"),
        (["--amp", "half"], "--amp"),
        (["--amp", "float16"], "got --amp float16 for a network on the cpu"),
        (["--accumulate", "0"], "--accumulate"),
        (["--patience", "0"], "--patience"),
        (["--snapshot-every=inf"], "got --snapshot-every inf"),
        (["--keep", "0.5"], "share of skill that a stage of --plan keeps, got --keep 0.5"),
        (["--keep", "5", "--plan", "auto"], "got --keep 5, expected above 0"),
        (["--validation", "0.3"], "is the share that --patience holds out"),
        (["--patience", "2", "--validation", "1"], "--validation 1.0, expected above 0"),
    ],
)
def test_wrong_flags_are_refused(capsys, words, error):
    assert error in refused(capsys, *words)


def test_numbers_are_written_for_tensorboard_in_a_folder_a_training(capsys, tmp_path, monkeypatch):
    opened = []

    class Writer:
        def __init__(self, log_dir):
            self.names, self.closed = set(), False
            opened.append((log_dir, self))

        def add_scalar(self, name, value, step):
            self.names.add(name)

        def flush(self):
            pass

        def close(self):
            self.closed = True

    module = ModuleType("torch.utils.tensorboard")
    module.SummaryWriter = Writer
    monkeypatch.setitem(sys.modules, "tensorboard", ModuleType("tensorboard"))
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", module)
    words = ["--epochs", "1", "--tensorboard", str(tmp_path), "--seeds", "2"]
    assert run(["train", "gru", *SMALL[:-2], *words]) == 0
    folders = [f"ItalyPowerDemand-gru--full--seed-{seed}" for seed in (0, 1)]
    assert [place for place, _ in opened] == [str(tmp_path / name) for name in folders]
    assert all(writer.closed and "test/score" in writer.names for _, writer in opened)


def test_a_missing_tensorboard_is_noticed_before_any_work(capsys, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboard", None)  # importing it fails
    error = refused(capsys, "--tensorboard", str(tmp_path / "runs"))
    assert "pip install 'timegrain[tensorboard]'" in error
    assert not (tmp_path / "runs").exists()


def test_a_learning_rate_is_a_number_a_grid_or_auto(capsys):
    assert run(["train", "gru", "GunPoint", "--lr", "fast", "--dry-run"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "got --lr fast, expected a number such as 0.01, a comma list" in said
    assert run(["train", "gru", "GunPoint", "--lr", "0.01,0.1", "--dry-run"]) == 0
    assert run(["train", "gru", "GunPoint", "--lr", "0.01,0", "--dry-run"]) == 2

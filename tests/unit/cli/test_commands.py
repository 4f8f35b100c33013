import json
import re

import numpy as np
import pytest

from timegrain.cli.main import run
from timegrain.core.output import read_output
from timegrain.data import datasets
from timegrain.models import models


def test_data_json_is_one_object_on_stdout(capsys):
    assert run(["data", "OSULeaf", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    pooled = {r["stride"]: r["discontinuity"] for r in data["profile"] if r["channel"] is None}
    assert pooled[2] == pytest.approx(4.245e-4, rel=5e-4)
    assert pooled[8] == pytest.approx(5.752e-3, rel=5e-4)
    assert (data["schema"], data["outcome"]) == ("task-continuity", "MEASURED")


def test_constant_data_is_an_outcome(tmp_path, capsys):
    np.save(tmp_path / "flat.npy", np.full((3, 256), 7.0))
    assert run(["data", str(tmp_path / "flat.npy"), "--layout", "bt", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["outcome"] == "CONSTANT"
    assert data["continuity"] is None
    assert {r["discontinuity"] for r in data["profile"]} == {None}


def test_fail_under_is_status_one(capsys):
    assert run(["data", "OSULeaf", "--fail-under", "horizon=4"]) == 0
    assert run(["data", "OSULeaf", "--fail-under", "horizon=64"]) == 1
    assert "below 64" in capsys.readouterr().err
    assert run(["data", "OSULeaf", "--fail-under", "continuity=0.999998"]) == 1
    assert re.search(r"continuity is 0\.9\d{3}, below 1$", capsys.readouterr().err.strip())


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("data", ["horizon", "horizon_time", "continuity"]),
        ("merge", ["horizon", "continuity"]),
        ("advise", ["stride", "score", "retention", "horizon"]),
        ("model", ["order"]),
    ],
)
def test_help_names_the_figures_of_fail_under(command, names, capsys):
    run([command, "--help"])
    text = re.sub(r"[\s│]+", " ", capsys.readouterr().out).split("--fail-under")[1]
    assert all(f"{name} (" in text for name in names)


def test_rate_sets_the_time_unit(tmp_path, capsys):
    times = np.arange(4000) / 100
    table = np.column_stack([np.sin(times), np.cos(0.3 * times)])
    path = tmp_path / "motion.csv"
    np.savetxt(path, table, delimiter=",", header="x,y", comments="")
    assert run(["data", str(path), "--hz", "100", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["dt"], data["unit"]) == (0.01, "s")
    assert data["horizon_time"] == pytest.approx(data["horizon"] * 0.01)
    assert {r["channel"] for r in data["profile"]} == {None, "x", "y"}


def test_output_stores_result_rows_and_report(tmp_path, capsys):
    out = tmp_path / "out"
    assert run(["data", "GunPoint", "--output", str(out)]) == 0
    assert {p.name for p in out.iterdir()} == {
        "result.json",
        "rows.parquet",
        "report.html",
        "parts",
    }
    assert read_output(out).result.name == "GunPoint"
    (out / "report.html").unlink()
    assert run(["report", str(out)]) == 0
    assert "GunPoint" in (out / "report.html").read_text()


def test_dry_run_writes_nothing(tmp_path, capsys):
    out = tmp_path / "out"
    assert run(["data", "GunPoint", "--dry-run", "--output", str(out)]) == 0
    assert run(["model", "s4d", "--dry-run", "--output", str(out)]) == 0
    assert not out.exists()


def test_model_text_fits_eighty_columns(capsys):
    assert run(["model", "s6", "--levels", "4", "--seeds", "2", "--d-model", "8"]) == 0
    text = capsys.readouterr().out
    assert "model continuity: s6" in text
    assert "--tau" not in text  # model has no such option
    assert "--discretization euler_b" in " ".join(text.split())
    assert max(len(line) for line in text.splitlines()) <= 80


def test_users_own_model(tmp_path, monkeypatch, capsys):
    (tmp_path / "mine.py").write_text("def half(x):\n    return x / 2\n")
    monkeypatch.chdir(tmp_path)
    words = ["model", "mine:half", "--d-input", "2", "--levels", "4", "--seeds", "2", "--json"]
    assert run(words) == 0
    assert json.loads(capsys.readouterr().out)["outcome"] == "MEMORYLESS"


def test_a_function_without_arguments_gives_the_model(tmp_path, monkeypatch, capsys):
    source = "import torch\n\ndef make():\n    return torch.nn.GRU(2, 4, batch_first=True)\n"
    (tmp_path / "factories.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    assert run(["model", "factories:make", "--levels", "4", "--seeds", "2", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["name"] == "factories:make"
    assert "called once" in data["notes"][0]


@pytest.mark.parametrize(
    ("command", "limit", "names"),
    [
        ("model", "order=0.9", "A registered name, module:object, or a folder"),
        ("data", "horizon=4", "path"),
    ],
)
def test_help_speaks_of_what_a_command_takes(command, limit, names, capsys):
    assert run([command, "--help"]) == 0
    text = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert limit in text
    assert names in text


def test_train_stores_checkpoints_and_transfer(tmp_path, capsys):
    out = tmp_path / "out"
    words = ["train", "s4d", "ItalyPowerDemand", "--stages", "2:1,1:1", "--d-model", "8"]
    assert run([*words, "--layers", "1", "--strides", "1,2", "--output", str(out)]) == 0
    kinds = [r.kind for r in read_output(out).results]
    assert kinds.count("training-run") == 1
    assert kinds.count("transfer-curve") == 1
    assert list((out / "checkpoints").rglob("*.safetensors"))


@pytest.mark.parametrize("columns", [1, 60, 80, 300])
def test_ls_names_datasets_and_models(columns, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert run(["ls"]) == 0
    text = capsys.readouterr().out
    for name in ("OSULeaf", "ecg", "python-source", "s4d", "s6", "gru"):
        assert name in text
    assert max(len(line) for line in text.splitlines()) <= max(columns, 60)
    said = " ".join(text.split())
    assert all(entry.summary in said for registry in (datasets, models) for entry in registry)


@pytest.mark.slow
def test_fast_demo_ends_with_its_report(tmp_path, capsys):
    out = tmp_path / "demo"
    assert run(["demo", "--fast", "--output", str(out)]) == 0
    stdout = capsys.readouterr().out
    assert stdout.splitlines()[-1] == f"report: {out / 'report.html'}"
    page = (out / "report.html").read_text()
    assert "OSULeaf" in page
    kinds = {r.kind for r in read_output(out).results}
    assert kinds == {
        "verdict",
        "task-continuity",
        "model-continuity",
        "training-run",
        "transfer-curve",
        "baseline-score",
    }

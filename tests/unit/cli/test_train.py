import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import timegrain
from timegrain.cli.main import run
from timegrain.core.output import read_output

SMALL = ["--d-model", "4", "--layers", "1", "--strides", "1"]
GRU = ["train", "gru", "ItalyPowerDemand", *SMALL]
FULL = "checkpoints/ItalyPowerDemand-gru--full--seed-0"


@pytest.fixture
def own(tmp_path):
    """Two classes that differ in level, as (batch, channel, time), with names in the file."""
    random = np.random.default_rng(0)
    y = np.resize([0, 1], 40)
    x = random.normal(size=(40, 2, 30)) + 3 * y[:, None, None] + 100
    np.savez(tmp_path / "own.npz", x=x, y=y)
    return tmp_path / "own.npz"


def test_own_data_get_a_rate_and_a_layout(own, tmp_path, capsys):
    out = tmp_path / "out"
    words = ["train", "s4d", str(own), "--target", "y", "--layout", "bct", "--hz", "50"]
    assert run([*words, *SMALL, "--epochs", "40", "--json", "--output", str(out)]) == 0
    stdout, stderr = capsys.readouterr()
    data = json.loads(stdout)
    assert (data[0]["dt_trained"], data[0]["unit"]) == (0.02, "s")
    (line,) = [x for x in stderr.splitlines() if x.startswith("checkpoint: ")]
    stored = timegrain.load_checkpoint(line.removeprefix("checkpoint: "))
    assert stored.tau_at(hz=25) == pytest.approx(2.0)
    arrays = np.load(own)
    answers = stored.predict(arrays["x"].swapaxes(1, 2), hz=50)
    # the file numbers its classes; 7 standard deviations of the mean apart
    assert np.mean(answers == arrays["y"].astype(str)) > 0.9


def test_a_step_may_have_a_unit(own, tmp_path, capsys):
    words = ["train", "gru", str(own), "--target", "y", "--layout", "bct", "--dt", "20ms"]
    assert run([*words, *SMALL, "--epochs", "1", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data[0]["dt_trained"], data[0]["unit"]) == (20.0, "ms")


def test_every_checkpoint_is_named_on_stderr(tmp_path, capsys):
    words = ["train", "gru,s4d", "ItalyPowerDemand", *SMALL, "--epochs", "1", "--seeds", "2"]
    assert run([*words, "--output", str(tmp_path)]) == 0
    stdout, stderr = capsys.readouterr()
    places = [x.removeprefix("checkpoint: ") for x in stderr.splitlines() if "checkpoint: " in x]
    assert len(places) == 4
    assert {timegrain.load_checkpoint(p).record.model["name"] for p in places} == {"gru", "s4d"}
    assert "checkpoint" not in stdout
    assert "[4/4] s4d on ItalyPowerDemand" in stderr


def test_networks_are_not_mixed_with_those_of_another_plan(tmp_path, capsys):
    out = ["--output", str(tmp_path / "out")]
    assert run([*GRU, "--epochs", "1", *out]) == 0
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    assert run([*GRU, "--stages", "2:1,1:1", *out]) == 2
    assert run([*GRU, "--stages", "2:1,1:1", "--dry-run", *out]) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before
    assert run([*GRU, "--stages", "2:1,1:1", "--overwrite", *out]) == 0
    places = [p.name for p in (tmp_path / "out" / "checkpoints").iterdir()]
    assert places == ["ItalyPowerDemand-gru--2-1-1-1--seed-0"]
    assert read_output(tmp_path / "out").result.plan == "2:1,1:1"


@pytest.mark.parametrize(
    ("words", "mention"),
    [
        (["--epochs", "0"], "--epochs takes a whole number, got 0"),
        (["--epochs", "3", "--stages", "2:1"], "--epochs 3"),
        (["--stages", "2:0"], "many epochs, got 0"),
        (["--batch-size", "0"], "--batch-size"),
        (["--lr", "0"], "--lr 0"),
        (["--hz", "50", "--dt", "2ms"], "--hz"),
        (["--layers", "0"], "--layers"),
        (["--strides", "0"], "--strides 0"),
        (["--options", "wings=2"], "wings"),
        (["--options", "seed=1"], "Try --seed"),
        (["--options", "head=last"], "Try --head"),
        (["--options", "n_layers=3"], "--layers on the command line"),
        (["--options", "d_output=3"], "the task sets it"),
        (["--lr", "1e300"], "--lr 1e+300, expected above 0 and at most 10"),
        (["--strides", "1,64"], "too short for these strides, got stride 64"),
        (["--stages", "64:1"], "too short for these stages, got stride 64"),
    ],
)
@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_errors_come_before_any_training(words, mention, dry, capsys):
    assert run(["train", "gru", "ItalyPowerDemand", *words, *dry]) == 2
    stderr = capsys.readouterr().err
    assert mention in " ".join(stderr.split())
    assert "[1/1]" not in stderr


def test_help_offers_only_what_train_takes(capsys):
    assert run(["train", "--help"]) == 0
    text = capsys.readouterr().out
    for option in ("--hz", "--dt", "--layout", "--overwrite"):
        assert option in text
    assert "module:function" not in text


INTERRUPTED = """
import os, sys
from timegrain.training.trainer import material
original = material.score_batch
def score(*args, **kwargs):
    result = original(*args, **kwargs)
    print("an epoch is done", flush=True)
    return result
material.score_batch = score
sys.argv = ["timegrain", *sys.argv[1:]]
from timegrain.cli.main import main
main()
"""


def test_an_interrupt_leaves_snapshots_alone_and_says_how_to_go_on(tmp_path):
    out = tmp_path / "out"
    words = ["train", "s4d", "ItalyPowerDemand", "--epochs", "100000", "--output", str(out)]
    words += ["--snapshot-every", "0"]
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    try:
        for _ in range(3):
            assert process.stdout.readline() == "an epoch is done\n"
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Traceback" not in stderr
    assert stderr.splitlines()[-1] == "interrupted"
    assert "training run" not in stdout
    assert "Try the same command with --resume to go on." in stderr
    assert [path.name for path in out.iterdir()] == ["snapshots"]

"""Models as a flag, and trainings that go on from a stored network."""

import json
from dataclasses import replace

import numpy as np
import pytest

import timegrain
from timegrain.cli.main import run
from timegrain.study import TrainingJob, keep_snapshots
from timegrain.training import parse_stages, prepare_fine_tuning

SMALL = ["--d-model", "4", "--layers", "1", "--epochs", "1"]


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """Two classes that differ in level at 50 Hz, which the file does not say, and a network."""
    folder = tmp_path_factory.mktemp("own")
    random = np.random.default_rng(0)
    y = np.resize([0, 1], 40)
    x = random.normal(size=(40, 30, 2)) + 3 * y[:, None, None] + 100
    np.savez(folder / "own.npz", x=x, y=y)
    words = [str(folder / "own.npz"), "--target", "y"]
    out = str(folder / "first")
    assert run(["train", "s4d", *words, "--hz", "50", *SMALL, "--output", out]) == 0
    (network,) = (folder / "first" / "checkpoints").iterdir()
    return words, str(network)


def test_a_model_is_a_word_or_a_flag(capsys):
    for words in (["s4d,gru", "GunPoint"], ["GunPoint", "--model", "s4d,gru"]):
        assert run(["train", *words, "--dry-run"]) == 0
        lines = capsys.readouterr().err.splitlines()
        assert lines == [f"would train {m}, full, seed 0, on GunPoint" for m in ("s4d", "gru")]


def test_a_stored_network_is_trained_on_at_another_rate(own, tmp_path, capsys):
    words, network = own
    out = tmp_path / "out"
    rate = ["--init", network, "--file-hz", "50", "--hz", "25", "--thin"]
    plan = ["--stages", "2:1,1:1", "--strides", "1", "--json", "--output", str(out)]
    assert run(["train", *words, *rate, *plan]) == 0
    stdout, stderr = capsys.readouterr()
    training, rates = json.loads(stdout)
    assert "told tau = 2: tau = 1 still stands for 0.02 s" in training["notes"][0]
    assert training["name"] == rates["name"] == "s4d on own, fine-tuned at tau 2, 2:1,1:1, seed 0"
    assert "s4d on own, fine-tuned at tau 2, 2:1,1:1, seed 0" in stderr
    page = " ".join((out / "report.html").read_text().split())
    assert "s4d on own, fine-tuned from own-s4d--full--seed-0 at tau 2</h1>" in page
    assert "Fine-tuned at tau 2: own, every 2nd sample" in page
    assert "S4D on own, fine-tuned at tau 2, scores" in page
    assert "scored: 8 test sequences." in page
    assert "Every score is on all samples of the rate trained at, 8 test sequences" in page
    assert (training["dt_trained"], training["plan"]) == (0.02, "2:1,1:1")
    # at the trained rate, and at the one it was trained on at
    assert {row["stride"] for row in rates["scores"]} == {1.0, 2.0}
    (line,) = [x for x in stderr.splitlines() if x.startswith("checkpoint: ")]
    stored = timegrain.load_checkpoint(line.removeprefix("checkpoint: "))
    assert "s4d-fine-tuned-at-tau-2--2-1-1-1--seed-0" in line
    assert (stored.dt_trained, stored.record.dt_tuned) == (0.02, 0.04)
    first = timegrain.load_checkpoint(network).record
    assert (stored.record.model, stored.record.inputs) == (first.model, first.inputs)


def test_trainings_on_from_other_networks_keep_other_snapshots(own, tmp_path):
    words, network = own
    stored = timegrain.load_checkpoint(network)
    task = timegrain.load_task(words[0], target="y", hz=50)
    other = replace(stored, record=replace(stored.record, weights_sha256="another"))
    places = []
    for one in (stored, stored, other):
        start = prepare_fine_tuning(one, task)
        job = TrainingJob(model="s4d", stages=parse_stages("1:1"), start=start)
        (kept,) = keep_snapshots([job], task, tmp_path, resume=False)
        places.append(kept.training["snapshots"])
    assert places[0] == places[1] != places[2]


def test_a_file_at_another_rate_is_told_as_it_is(own, capsys):
    words, network = own
    rate = ["--init", network, "--file-dt", "40ms", "--dry-run"]
    assert run(["train", *words, *rate]) == 0
    assert "s4d fine-tuned at tau 2, full, seed 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "mention"),
    [
        (["--hz", "100"], "--hz 100.0, 0.5 times the recorded step"),
        (["--hz", "25"], "the filter needs 483 samples, and the shortest recording has 30"),
        (["--tau", "2", "--dt", "40ms"], "said in one way"),
        (["--tau", "0"], "a rate is positive"),
        (["--d-model", "4"], "brings its own network, got --d-model 4"),
        (["--options", "n_pairs=2"], "brings its own network, got --options n_pairs=2"),
        (["--model", "s4d"], "the network is said twice, got --model s4d and --init"),
        (["--strides", "50"], "too short for these strides"),
    ],
)
def test_what_does_not_go_with_a_stored_network_is_refused(words, mention, own, capsys):
    task, network = own
    assert run(["train", *task, "--init", network, "--file-hz", "50", *words]) == 2
    assert mention in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("words", "mention"),
    [
        (["GunPoint"], "needs models and a task, got GunPoint"),
        (["GunPoint", "s4d"], "expected timegrain train s4d GunPoint"),
        (["s4d", "GunPoint", "--model", "gru"], "said twice, got s4d and --model gru"),
        (["s4d", "GunPoint", "--tau", "2"], "got --tau 2"),
        (["s4d", "GunPoint", "--thin"], "got --thin"),
        (["s4d", "GunPoint", "--hz", "5", "--file-hz", "5"], "without --init"),
        (["GunPoint", "--init", "nowhere"], "there is no checkpoint here, got nowhere"),
    ],
)
def test_models_and_tasks_that_are_not_said_are_asked_for(words, mention, capsys):
    assert run(["train", *words]) == 2
    assert mention in " ".join(capsys.readouterr().err.split())


def test_another_rate_of_the_file_is_asked_for_in_its_own_words(own, capsys):
    words, network = own
    assert run(["train", *words, "--init", network]) == 2
    assert "--file-hz 50 (or --file-dt)" in " ".join(capsys.readouterr().err.split())

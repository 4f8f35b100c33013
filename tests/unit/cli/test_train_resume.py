import json
import signal
import subprocess
import sys
import time

import pytest
import torch

from timegrain.cli import interrupts
from timegrain.cli.main import run
from timegrain.core import output
from timegrain.core.errors import ResultError
from timegrain.training.trainer import material
from timegrain.training.trainer.gradient import PlainGradient
from timegrain.training.trainer.state import TrainingState

SMALL = ["--d-model", "4", "--layers", "1", "--strides", "2"]
GRU = ["train", "gru", "ItalyPowerDemand", *SMALL]


def trained(words, capsys):
    """Return what a training printed, without what differs from run to run."""
    assert run([*words, "--json"]) == 0
    run_, curve = json.loads(capsys.readouterr().out)
    history = [[row["epoch"], row["train_loss"], row["score"]] for row in run_["history"]]
    same = [run_[key] for key in ("score", "low", "high", "correct")]
    return [history, same, curve["scores"]], run_["notes"]


def interrupt(monkeypatch, *, after, number=signal.SIGINT):
    """Send a signal instead of the score of an epoch."""
    original, done = material.score_batch, []

    def score(*args, **kwargs):
        done.append(1)
        if len(done) == after:
            signal.raise_signal(number)
        return original(*args, **kwargs)

    monkeypatch.setattr(material, "score_batch", score)


@pytest.mark.slow
def test_a_killed_command_goes_on_to_the_same_numbers(tmp_path, capsys):
    words, out = [*GRU, "--epochs", "20"], tmp_path / "out"
    process = subprocess.Popen(
        [sys.executable, "-m", "timegrain", *words, "--output", str(out), "--snapshot-every", "0"],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + 60
        while not list(out.glob("snapshots/*/snapshot-0000001*.state")):
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert [path.name for path in out.iterdir()] == ["snapshots"]
    torch.rand(5)
    resumed, notes = trained([*words, "--output", str(out), "--resume"], capsys)
    assert resumed == trained(words, capsys)[0]
    (note,) = [note for note in notes if "Resumed" in note]
    assert "Resumed once after step" in note and "of 100" in note
    assert sorted(p.name for p in out.iterdir()) == [
        "checkpoints",
        "parts",
        "report.html",
        "result.json",
        "rows.parquet",
    ]


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_signals_say_how_to_go_on(number, status, tmp_path, capsys, monkeypatch):
    before = signal.getsignal(signal.SIGTERM)
    words = [*GRU, "--epochs", "4", "--output", str(tmp_path / "out"), "--snapshot-every", "0"]
    with monkeypatch.context() as patch:
        interrupt(patch, after=3, number=number)
        assert run(words) == status
    stderr = capsys.readouterr().err
    assert "Try the same command with --resume" in stderr
    assert stderr.splitlines()[-1] == "interrupted"
    assert signal.getsignal(signal.SIGTERM) is before
    assert trained([*words, "--resume"], capsys)[0] == trained(words[:-4], capsys)[0]


def signal_in_a_step(monkeypatch, *numbers, at):
    """Send signals while the gradient of a step is taken."""
    original, done = PlainGradient.__call__, []

    def call(self, *args):
        done.append(1)
        if len(done) == at:
            for number in numbers:
                signal.raise_signal(number)
        return original(self, *args)

    monkeypatch.setattr(PlainGradient, "__call__", call)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_the_step_and_keeps_it(number, status, tmp_path, capsys, monkeypatch):
    words = [*GRU, "--epochs", "3", "--output", str(tmp_path / "out")]
    expected = trained(words[:-2], capsys)[0]
    with monkeypatch.context() as patch:
        signal_in_a_step(patch, number, at=8)
        assert run(words) == status
    said = " ".join(capsys.readouterr().err.split())
    assert "up to its last step Try the same command with --resume to go on. interrupted" in said
    assert "ends after this step" not in said  # it was short
    resumed, notes = trained([*words, "--resume"], capsys)
    assert resumed == expected
    assert any("Resumed once after step 8 of 15" in note for note in notes)


def test_a_second_signal_ends_at_once(tmp_path, capsys, monkeypatch):
    words = [*GRU, "--epochs", "3", "--output", str(tmp_path / "out")]
    with monkeypatch.context() as patch:
        signal_in_a_step(patch, signal.SIGINT, signal.SIGINT, at=8)
        assert run(words) == 130
    assert "too short for a snapshot" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_snapshot_that_cannot_be_written_is_said(tmp_path, capsys, monkeypatch):
    def refuse(self, state):
        raise ResultError("cannot write a snapshot of the training", got="a full disk")

    monkeypatch.setattr("timegrain.training.trainer.snapshots.Snapshots.save", refuse)
    signal_in_a_step(monkeypatch, signal.SIGINT, at=2)
    assert run([*GRU, "--epochs", "1", "--output", str(tmp_path / "out")]) == 130
    said = " ".join(capsys.readouterr().err.split())
    assert "No snapshot was written: cannot write" in said and "a full disk" in said


def test_a_step_that_is_waited_for_is_said(capsys, monkeypatch):
    monkeypatch.setattr(interrupts, "_PATIENCE", 0.0)
    raises = interrupts._Raises(KeyboardInterrupt)
    raises.postponed()
    raises._timer.join()
    assert "ends after this step; Ctrl-C again ends at once" in capsys.readouterr().err


def test_trainings_that_are_done_are_not_repeated(tmp_path, capsys, monkeypatch):
    words = [*GRU, "--epochs", "2", "--seeds", "2", "--output", str(tmp_path / "out")]
    with monkeypatch.context() as patch:
        interrupt(patch, after=3)
        assert run([*words, "--snapshot-every", "0"]) == 130
    original, seen = PlainGradient.__call__, []

    def call(self, *args):
        seen.append(1)
        return original(self, *args)

    monkeypatch.setattr(PlainGradient, "__call__", call)
    assert run([*words, "--resume", "--json"]) == 0
    first, second = [r for r in json.loads(capsys.readouterr().out) if r["schema"] != "transfer"][
        ::2
    ]
    assert (first["seed"], second["seed"]) == (0, 1)
    assert "after step 10 of 10" in " ".join(first["notes"])
    assert "after step 5 of 10" in " ".join(second["notes"])
    assert len(seen) == 5  # the second epoch of the second


def test_a_learning_rate_is_searched_for_once(tmp_path, capsys, monkeypatch):
    out = tmp_path / "out"
    words = [*GRU, "--epochs", "3", "--lr", "auto", "--output", str(out)]
    with monkeypatch.context() as patch:
        original = TrainingState.state_dict  # the short trainings of the search keep none

        def state_dict(self):
            if self.steps == 7:
                raise KeyboardInterrupt
            return original(self)

        patch.setattr(TrainingState, "state_dict", state_dict)
        assert run([*words, "--snapshot-every", "0"]) == 130
    capsys.readouterr()
    with monkeypatch.context() as patch:
        patch.setattr("timegrain.training.tuning.search.find_lr", None)
        again, notes = trained([*words, "--resume"], capsys)
    assert any("Found: learning rate" in note for note in notes)
    assert again == trained(words[:-2], capsys)[0]
    assert not (out / "snapshots").exists()


def test_an_unfinished_training_is_not_lost_unasked(tmp_path, capsys, monkeypatch):
    words = [*GRU, "--epochs", "2", "--output", str(tmp_path / "out")]
    with monkeypatch.context() as patch:
        interrupt(patch, after=2)
        assert run([*words, "--snapshot-every", "0"]) == 130
    before = sorted(tmp_path.rglob("*"))
    for wrong, mention in (
        ([], "holds an unfinished training"),
        (["--dry-run"], "--resume to go on with it, or --overwrite to begin again"),
        (["--resume", "--overwrite"], "goes on, or begins again"),
        (["--resume", "--seed", "1"], "snapshots of other trainings"),
        (["--resume", "--lr", "0.02"], "lr 0.01 there and 0.02 here"),
    ):
        capsys.readouterr()
        assert run([*words, *wrong]) == 2
        said = " ".join(capsys.readouterr().err.split())
        assert mention in said
        assert "interrupted after" not in said  # a refusal is no interrupt
        assert sorted(tmp_path.rglob("*")) == before
    again = trained([*words, "--overwrite"], capsys)
    assert again[0] == trained(words[:-2], capsys)[0]
    assert not any("esume" in note for note in again[1])
    assert not (tmp_path / "out" / "snapshots").exists()
    assert run([*words, "--resume", "--json"]) == 0
    stdout, stderr = capsys.readouterr()
    assert "already done" in stderr
    assert json.loads(stdout)[0]["score"] == again[0][1][0]
    for wrong, mention in (
        (["--lr", "0.02"], "lr 0.01 there and 0.02 here"),
        (["--tbptt", "4"], "tbptt none there and 4 here"),
        (["--options", "dropout=0.1"], "options none there and dropout=0.1 here"),
        (["--plan", "auto"], "plan none there and auto here; keep none there and 0.8 here"),
        (["--hz", "2"], "a step of 0.5 s here"),
        (["--seeds", "2"], "expected gru on ItalyPowerDemand, seed 0"),
    ):
        assert run([*words, "--resume", *wrong]) == 2
        said = " ".join(capsys.readouterr().err.split())
        assert "another finished training, and nothing to resume" in said
        assert mention in said
    other = [w if w != "2" else "1,2" for w in words[:-4]]
    assert run([*other, *words[-4:], "--resume"]) == 2
    assert "strides 2 there and 1,2 here" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("written", range(3))
def test_a_kill_while_results_are_written_is_no_loss(written, tmp_path, capsys, monkeypatch):
    out, done = tmp_path / "out", []
    words = [*GRU, "--epochs", "1", "--output", str(out)]
    original = output.write_atomically

    def write(path, content):
        if len(done) == written:
            (path.parent / f".{path.name}.x1").write_bytes(b"half")  # as a kill leaves it
            raise KeyboardInterrupt
        done.append(path)
        original(path, content)

    with monkeypatch.context() as patch:
        patch.setattr(output, "write_atomically", write)
        assert run(words) == 130
    assert not (out / "result.json").exists()
    assert run([*words, "--resume", "--json"]) == 0
    assert "after step 5 of 5" in " ".join(json.loads(capsys.readouterr().out)[0]["notes"])
    assert (out / "result.json").exists() and not (out / "snapshots").exists()


def test_nothing_to_resume_from_is_said(tmp_path, capsys):
    words = [*GRU, "--epochs", "1", "--resume"]
    assert run(words) == 2
    assert "--resume goes on from what --output holds" in capsys.readouterr().err
    (tmp_path / "bare").mkdir()
    for name, state in (("out", "not there"), ("bare", "empty")):
        assert run([*words, "--output", str(tmp_path / name), "--json"]) == 0
        stdout, stderr = capsys.readouterr()
        assert f"nothing to resume: {tmp_path / name} is {state}" in stderr
        assert "no snapshot to resume from" in stdout


def test_a_folder_of_other_things_holds_nothing_to_resume(tmp_path, capsys):
    (tmp_path / "thesis.tex").write_text("mine")
    words = [*GRU, "--epochs", "1", "--resume", "--output", str(tmp_path)]
    for more in ([], ["--dry-run"]):
        assert run([*words, *more]) == 2
        said = " ".join(capsys.readouterr().err.split())
        assert f"no training to resume, got --output {tmp_path} with 'thesis.tex'" in said
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize(
    ("begun", "resumed", "mention"),
    [
        (["--epochs", "2"], ["--epochs", "2", "--plan", "auto"], "begun without --plan auto"),
        (["--epochs", "2"], ["--plan", "2:1,1:1"], "snapshots of other trainings"),
        (["--epochs", "2"], ["--epochs", "2", "--lr", "auto"], "from --lr auto here and a rate"),
        (
            ["--epochs", "2", "--lr", "0.02"],
            ["--epochs", "2", "--lr", "0.01,0.02"],
            "from --lr 0.01,0.02 here and a rate that was given there",
        ),
    ],
)
def test_other_words_are_refused_before_anything_long(
    begun, resumed, mention, tmp_path, capsys, monkeypatch
):
    out = ["--output", str(tmp_path / "out")]
    with monkeypatch.context() as patch:
        signal_in_a_step(patch, signal.SIGINT, at=2)
        assert run([*GRU, *begun, *out]) == 130
    monkeypatch.setattr("timegrain.training.plan.recommend.subsampling_plan", None)
    monkeypatch.setattr("timegrain.training.tuning.search.find_lr", None)
    assert run([*GRU, *resumed, *out, "--resume"]) == 2
    assert mention in " ".join(capsys.readouterr().err.split())


def test_other_files_in_the_folder_stay(tmp_path, capsys):
    mine = tmp_path / "out" / "snapshots" / "holiday" / "snapshot.png"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    assert run([*GRU, "--epochs", "1", "--output", str(tmp_path / "out")]) == 0
    assert mine.read_text() == "mine"


def test_a_measured_plan_is_kept_beside_the_snapshots(tmp_path, capsys, monkeypatch):
    out = tmp_path / "out"
    words = [*GRU, "--plan", "2:1,1:1", "--output", str(out), "--snapshot-every", "0"]
    with monkeypatch.context() as patch:
        interrupt(patch, after=2)
        assert run(words) == 130
    assert "interrupted after" in capsys.readouterr().err
    monkeypatch.setattr("timegrain.training.plan.recommend.subsampling_plan", None)
    assert run([*words, "--resume", "--keep", "0.7"]) == 2
    assert "keep 0.8 there and 0.7 here" in " ".join(capsys.readouterr().err.split())
    assert run([*words, "--resume"]) == 0
    stderr = " ".join(capsys.readouterr().err.split())
    assert "(measured before the interrupt)" in stderr
    assert "from its snapshot number" in stderr
    assert not (out / "snapshots").exists()

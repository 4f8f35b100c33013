"""The pages on cheaper training and on another rate show what is printed."""

import io
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from timegrain.cli.main import run
from timegrain.cli.stage_board import StageBoard
from timegrain.study.progress import ProgressEvent, TrainingMoment
from timegrain.training.run import EpochRow
from timegrain.training.stages import parse_stages

DOCS = Path(__file__).parents[2] / "docs"
CHEAPER = (DOCS / "train-cheaper.md").read_text(encoding="utf-8")
ANOTHER = (DOCS / "another-sampling-rate.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```console\n\$ timegrain (.*?)\n(.*?)```", flags=re.DOTALL)


@pytest.fixture(scope="module")
def folder(own_files, tmp_path_factory):
    made = tmp_path_factory.mktemp("training")
    own_files["write_motor"](made / "motor.npz")
    own_files["write_gears"](made / "gears.csv")
    y = np.resize([0, 1], 10)
    np.savez(made / "ecg.npz", x=np.random.default_rng(0).normal(size=(10, 50)) + y[:, None], y=y)
    return made


def shows(words, shown, capsys):
    """Run a command, and look for what is shown in what it prints on either stream, in order."""
    assert run(shlex.split(words)) == 0
    printed = list(capsys.readouterr())
    for text in filter(None, (part.strip("\n") for part in re.split(r"\.\.\.\n", shown))):
        # lines of the log and of the results may stand together where the log ends
        for lines in [text] if any(text in p for p in printed) else text.split("\n"):
            stream = next((i for i, p in enumerate(printed) if lines in p), None)
            assert stream is not None, f"not printed:\n{lines}\nbut:\n{''.join(printed)}"
            printed[stream] = printed[stream].partition(lines)[2]


@pytest.mark.parametrize(("words", "shown"), BLOCK.findall(CHEAPER), ids=lambda text: text[:20])
def test_the_page_on_cheaper_training(words, shown, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    shows(words, shown, capsys)


def test_the_page_on_another_rate_from_the_training_to_the_fine_tuned_network(
    folder, monkeypatch, capsys
):
    monkeypatch.chdir(folder)
    blocks = BLOCK.findall(ANOTHER)
    assert [words.split()[0] for words, _ in blocks] == ["train", "transfer", "train"]
    for words, shown in blocks:
        shows(words, shown, capsys)
    (code,) = re.findall(r"```python\n(.*?)```", ANOTHER, flags=re.DOTALL)
    exec(compile(code, "another-sampling-rate.md", "exec"), {})
    # one of the three speeds for each of three recordings
    assert len(re.findall(r"slow|even|fast", capsys.readouterr().out)) == 3


def test_python_on_the_page_on_cheaper_training_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", CHEAPER, flags=re.DOTALL)
    exec(compile(code, "train-cheaper.md", "exec"), {})
    assert re.search(r"2:14,1:6 0\.\d+ True", capsys.readouterr().out)  # it learned


def test_indented_commands_are_accepted(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    commands = re.findall(r"^    timegrain (.*)$", CHEAPER, flags=re.MULTILINE)
    assert len(commands) == 5
    for words in commands:
        wanted = [w for w in shlex.split(words) if w != "--resume"]
        assert run([*wanted, "--dry-run"]) == 0, words


def test_the_live_table_is_drawn_so():
    (shown,) = re.findall(r"```text\n(.*?)```", CHEAPER, flags=re.DOTALL)
    moment = TrainingMoment(
        stages=parse_stages("8:6,4:5,2:3,1:1"), taus=(8.0, 4.0, 2.0, 1.0), metric="accuracy"
    )
    now = 0.0
    board = StageBoard(shown.splitlines()[0], moment, clock=lambda: now)
    seen = ((6, 8, 8.0, 0.691, 0.579), (11, 4, 12.0, 0.484, 0.674), (13, 2, 15.0, 0.329, 0.698))
    for epoch, stride, now, loss, score in seen:
        row = EpochRow(epoch=epoch, stride=stride, seconds=now, train_loss=loss, score=score)
        at = TrainingMoment(stages=moment.stages, taus=moment.taus, metric=moment.metric, row=row)
        # an epoch at stride 1 takes twice as long as one at stride 2
        board.see(ProgressEvent(step=1, steps=2, label="", seconds_left=3.0, training=at))
    text = io.StringIO()
    Console(file=text, width=80).print(board)
    drawn = [line.rstrip() for line in text.getvalue().splitlines()]
    assert [line for line in drawn if line] == [line for line in shown.splitlines() if line]

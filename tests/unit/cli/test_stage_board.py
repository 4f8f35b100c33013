import io
import sys
from dataclasses import replace

import pytest
from rich.console import Console

from timegrain.cli.compiling import CompileClock
from timegrain.cli.live import LiveBoards, training_progress
from timegrain.cli.progress import Progress
from timegrain.cli.stage_board import StageBoard
from timegrain.study.progress import ProgressEvent, TrainingMoment
from timegrain.training.run import EpochRow
from timegrain.training.stages import parse_stages

START = TrainingMoment(stages=parse_stages("4:2,1:3"), taus=(4.0, 1.0), metric="accuracy")


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def event(epoch=None, seconds=0.0, left=None, label="s4d on GunPoint"):
    row = None
    if epoch is not None:
        stride = 4 if epoch <= 2 else 1
        row = EpochRow(epoch=epoch, stride=stride, seconds=seconds, train_loss=0.5, score=0.75)
    moment = TrainingMoment(stages=START.stages, taus=START.taus, metric="accuracy", row=row)
    return ProgressEvent(step=1, steps=2, label=label, seconds_left=left, training=moment)


def drawn(board):
    text = io.StringIO()
    Console(file=text, width=80).print(board)
    return text.getvalue()


def rows(board):
    lines = drawn(board).splitlines()
    assert max(map(len, lines)) <= 80
    return [line.split() for line in lines if line.strip() and line.split()[0].isdigit()]


def test_the_stage_under_way_changes_and_the_others_stand():
    clock = Clock()
    board = StageBoard("[bold] a title", START, clock=clock)
    assert rows(board) == [["1", "4", "4", "0/2", *"----"], ["2", "1", "1", "0/3", *"----"]]
    clock.now = 5.0  # an epoch of 3 s, its evaluation 2 s
    board.see(event(1, 3.0, left=47.0))
    clock.now = 6.0
    # behind are an epoch of 3 + 2 s, then three of 3 * 4 + 2: the stages end 5 and 47 s after the
    # last epoch, of which one second has passed
    assert rows(board) == [
        ["1", "4", "4", "1/2", "0.500", "0.750", "0:06", "0:04"],
        ["2", "1", "1", "0/3", "-", "-", "-", "0:46"],
    ]
    for epoch, seconds, left in ((2, 6.0, 42.0), (3, 18.0, 28.0), (4, 30.0, 14.0)):
        clock.now += 4.0 if epoch == 2 else 14.0
        board.see(event(epoch, seconds, left=left))
    assert rows(board) == [
        ["1", "4", "4", "2/2", "0.500", "0.750", "0:10"],
        ["2", "1", "1", "2/3", "0.500", "0.750", "0:28", "0:14"],
    ]
    board.finish()  # stopped early
    assert rows(board)[1] == ["2", "1", "1", "2/3", "0.500", "0.750", "0:28"]


def test_what_comes_before_the_first_epoch_is_said():
    clock = Clock()
    board = StageBoard("", START, clock=clock)
    clock.now = 50.0
    board.see(replace(event(), detail="learning rate 0.01: accuracy 0.5"))
    assert "learning rate 0.01: accuracy 0.5" in drawn(board)
    clock.now = 54.0
    board.see(event(1, 3.0, left=47.0))
    assert "learning rate" not in drawn(board)
    assert rows(board)[0][-2] == "0:04"  # what came before is not of the stage


def test_stages_before_a_resumed_training_are_said_to_be():
    clock = Clock()
    board = StageBoard("", START, clock=clock)
    clock.now = 14.0
    board.see(event(4, 30.0, left=14.0))
    assert rows(board) == [
        ["1", "4", "4", "before", *"---"],
        ["2", "1", "1", "2/3", "0.500", "0.750", "0:14", "0:14"],
    ]


def test_the_clock_stops_with_the_last_epoch():
    clock = Clock()
    board = StageBoard("", START, clock=clock)
    clock.now = 10.0
    board.see(event(5, 9.0, left=0.0))
    clock.now = 100.0
    assert rows(board)[1] == ["2", "1", "1", "3/3", "0.500", "0.750", "0:10"]


def test_a_stage_that_ended_early_has_no_arrival():
    clock = Clock()
    board = StageBoard("", START, clock=clock)
    clock.now = 4.0
    board.see(event(1, 3.0, left=30.0))
    clock.now = 20.0
    board.see(event(3, 12.0, left=10.0))  # the second epoch of the first stage was left out
    assert rows(board)[0] == ["1", "4", "4", "1/2", "0.500", "0.750", "0:04"]
    assert rows(board)[1][-1] == "0:10"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_gets_one_table_a_training(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with training_progress() as show:
        assert isinstance(show, LiveBoards)
        show(event())
        show(event(1, 3.0, left=47.0))
        show(event(label="s6 on [GunPoint]"))
    text = sys.stderr.getvalue()
    assert "[1/2] s4d on GunPoint" in text
    assert "[1/2] s6 on [GunPoint]" in text
    assert "1/2" in text.partition("s6")[0].rpartition("ETA")[2]


@pytest.mark.parametrize(("stream", "term"), [(Terminal, "dumb"), (io.StringIO, "xterm")])
def test_files_and_dumb_terminals_get_lines(stream, term, monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream())
    monkeypatch.setenv("TERM", term)
    with training_progress() as show:
        assert isinstance(show, Progress)
        show(event())
    assert sys.stderr.getvalue().lstrip("\r").startswith("[1/2] s4d on GunPoint")


def test_compiling_is_told_apart_from_the_seconds_of_a_training(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("timegrain.cli.compiling.time.perf_counter", lambda: now[0])
    clock = CompileClock()
    with Progress(clock) as show:
        show(event())
        clock.begin()
        now[0] = 20.7
        clock.end()
        now[0] = 23.1
        show(event(1, 2.0))
    assert capsys.readouterr().err.rstrip().endswith("2.4 s + 21 s compiling")

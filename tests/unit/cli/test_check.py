import json
import time

import pytest

from timegrain.cli.compiling import CompileClock, tells_of_compiling
from timegrain.cli.main import run

NET = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRU(3, 4{batch_first})

    def forward(self, x):
        return self.cell(x)[0]


net = Net()
"""


@pytest.fixture
def own_net(tmp_path, monkeypatch):
    def write(name, **words):
        (tmp_path / f"{name}.py").write_text(NET.format(**words))
        monkeypatch.chdir(tmp_path)
        return f"{name}:net"

    return write


def test_a_registered_layer_passes(capsys):
    assert run(["check", "s6", "--only", "batch,tau-reaches", "--json"]) == 0
    printed = capsys.readouterr()
    assert "... s6: tau-reaches passed\n... s6: batch passed" in printed.err
    data = json.loads(printed.out)
    assert (data["schema"], data["outcome"]) == ("model-check", "KEEPS_CONTRACT")
    assert [row["check"] for row in data["checks"]] == ["tau-reaches"] * 3 + ["batch"]


def test_own_models_pass_or_give_status_one(own_net, capsys):
    right = own_net("checked_right", batch_first=", batch_first=True")
    wrong = own_net("checked_wrong", batch_first="")
    assert run(["check", right, "--only", "batch"]) == 0
    assert run(["check", f"{right},{wrong}", "--only", "batch"]) == 1
    text = capsys.readouterr().out
    assert "FAILED" in text
    assert max(len(line) for line in text.splitlines()) <= 80


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["s4d", "--only", "bach"], "batch"),
        (["nothing"], "there is no model"),
        (["s4d", "--d-input", "3"], "d_model channels"),
        (["s4d", "--options", "n_pair=3"], "n_pairs"),
    ],
)
def test_errors_of_the_reader_are_status_two(words, said, capsys):
    assert run(["check", *words]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_results_are_stored_with_a_page(tmp_path, capsys):
    out = tmp_path / "out"
    assert run(["check", "gru", "--only", "batch", "--output", str(out)]) == 0
    assert json.loads((out / "result.json").read_text())["schema"] == "model-check"
    assert "keeps the contract" in (out / "report.html").read_text()


def test_ls_models_says_what_they_are(capsys):
    assert run(["ls", "models"]) == 0
    text = capsys.readouterr().out
    assert max(len(line) for line in text.splitlines()) <= 80
    for word in ("s4d", "mamba", "24,960", "euler_b 1, zoh 1", "selective_scan on"):
        assert word in text
    assert run(["ls", "models", "--json"]) == 0
    cards = {card["name"]: card for card in json.loads(capsys.readouterr().out)}
    assert cards["gru"]["takes_tau"] is False
    assert {"discretization": "zoh", "order": 1} in cards["s4d"]["orders"]


def test_ls_lists_one_kind(capsys):
    assert run(["ls", "datasets"]) == 0
    text = capsys.readouterr().out
    assert "OSULeaf" in text
    assert " model " not in text


def test_it_is_said_once_that_kernels_are_compiled(capsys):
    numba = pytest.importorskip("numba")
    began = time.perf_counter()
    with tells_of_compiling() as clock:
        assert not capsys.readouterr().err
        before = clock.work()
        for number in (1, 1.0):
            numba.njit(lambda x: x + 1)(number)
        worked, took = clock.work() - before, time.perf_counter() - began
    assert capsys.readouterr().err.count("compiling kernels") == 1
    assert 0 < clock() < took
    assert 0 <= worked <= took - clock()


def test_kernels_that_others_need_are_counted_once(monkeypatch):
    clock, now = CompileClock(), [0.0]
    monkeypatch.setattr("timegrain.cli.compiling.time.perf_counter", lambda: now[0])
    clock.begin()
    now[0] = 1.0
    clock.begin()
    now[0] = 3.0
    clock.end()
    assert (clock(), clock.work()) == (3.0, 0.0)  # while the first still is
    now[0] = 4.0
    clock.end()
    now[0] = 9.0
    assert (clock(), clock.work()) == (4.0, 5.0)

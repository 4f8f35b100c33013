"""`train(..., tbptt=...)`, from the public door."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from timegrain.cli.main import run as cli
from timegrain.core.errors import ConfigError, ModelError
from timegrain.data.tasks import make_task
from timegrain.models import build_model
from timegrain.training import SubsamplingPlan, evaluate, train, transfer


def network(task, name="s4d", **options):
    options |= {"s4d": {"n_pairs": 3}, "s6": {"n_state": 3}}.get(name, {})
    return build_model(
        name, d_input=1, d_output=task.d_output, d_model=4, n_layers=2, seed=0, **options
    )


def trained(task, **options):
    model = network(task, dropout=0.2)
    run = train(model, task, batch_size=8, **{"stages": "2:1,1:1", **options})
    return torch.nn.utils.parameters_to_vector(model.parameters()).detach(), run, model


@pytest.mark.parametrize("length", [24, 1000])
def test_chunks_as_long_as_the_windows_change_no_bit(ragged, length):
    wanted, run, _ = trained(ragged)
    got, same, _ = trained(ragged, tbptt=length)
    assert torch.equal(got, wanted)
    assert [(r.train_loss, r.score) for r in same.history] == [
        (r.train_loss, r.score) for r in run.history
    ]
    assert (same.score, same.low, same.correct) == (run.score, run.low, run.correct)
    assert same.provenance.parameters["tbptt"] == length
    assert "tbptt" not in run.provenance.parameters
    assert same.notes == run.notes


def test_shorter_chunks_train_as_well(ragged):
    wanted, run, _ = trained(ragged, stages="2:2,1:6")
    got, short, model = trained(ragged, stages="2:2,1:6", tbptt=9)
    assert not torch.equal(got, wanted)
    assert short.score > 0.9
    assert any("Back-propagated through 9 samples at a time" in note for note in short.notes)
    assert run.score > 0.9
    assert evaluate(model, ragged, chunk=9).score == short.score
    near = transfer(model, ragged, strides=(1, 3), chunk=9)
    whole = transfer(model, ragged, strides=(1, 3))
    assert [r.correct for r in near.scores] == [r.correct for r in whole.scores]


def test_what_is_read_as_it_is_needed_trains_alike(ragged):
    held, run, _ = trained(ragged, tbptt=9)
    read, lazy, _ = trained(make_task(ragged.dataset, lazy=True), tbptt=9)
    # inputs differ by a rounding to float32, which 8 steps carry on
    torch.testing.assert_close(read, held, rtol=1e-3, atol=1e-4)
    assert lazy.notes == run.notes


def test_other_options_go_with_it(values, tmp_path):
    lazy = make_task(values.dataset, lazy=True)
    options = {"stages": "1:2", "tbptt": 9}
    plain, _, _ = trained(lazy, **options)
    parts, _, _ = trained(lazy, **options, accumulate=1, snapshots=tmp_path, snapshot_every=0)
    assert torch.equal(parts, plain)
    again, _, _ = trained(lazy, **options, snapshots=tmp_path, resume=True)
    assert torch.equal(again, plain)
    with pytest.raises(ConfigError, match="tbptt 9 there and 8 here"):
        trained(lazy, **options | {"tbptt": 8}, snapshots=tmp_path, resume=True)
    _, early, _ = trained(lazy, **options, patience=1, accumulate=2)
    assert np.isfinite(early.score)


def test_it_can_be_said_on_the_command_line(tmp_path, capsys):
    random = np.random.default_rng(0)
    y = np.resize([0, 1], 20)
    x = random.normal(size=(20, 30, 1)) + y[:, None, None]
    np.savez(tmp_path / "cases.npz", x=x, y=y)
    words = ["train", "gru", str(tmp_path / "cases.npz"), "--target", "y", "--tbptt", "8"]
    words += ["--epochs", "1", "--d-model", "4", "--layers", "1", "--json"]
    assert cli([*words, "--output", str(tmp_path / "out")]) == 0
    run, curve = json.loads(capsys.readouterr().out)
    assert run["provenance"]["parameters"]["tbptt"] == 8
    assert len(curve["scores"]) == 3
    assert cli([*words[:-1], "--tbptt", "0"]) == 2


def test_what_cannot_be_done_is_said_before_anything_is_trained(task):
    class Foreign(nn.Module):
        takes_tau = False

        def __init__(self):
            super().__init__()
            self.out = nn.Linear(1, 2)

        def forward(self, x, tau=1.0, *, lengths=None):
            return self.out(x.mean(1))

    with pytest.raises(ModelError, match="Foreign cannot be trained in parts"):
        train(Foreign(), task, epochs=1, tbptt=8)
    plan = replace(SubsamplingPlan.parse("2:1,1:1"), place="embedding")
    with pytest.raises(ConfigError, match="drops samples after the embedding"):
        train(network(task), task, plan=plan, epochs=2, tbptt=8)
    for wrong in (0, -1, 2.5, True):
        with pytest.raises(ConfigError, match="tbptt is a whole number"):
            train(network(task), task, epochs=1, tbptt=wrong)


PEAK = """
import sys
from dataclasses import replace
import numpy as np
from timegrain.data import load_dataset
from timegrain.data.tasks import make_task
from timegrain.models import build_model
from pathlib import Path
from timegrain.training import train

data = replace(load_dataset(sys.argv[1], target="y"), n_train=2)
task = make_task(data, lazy=True)
for name, options in (("s4d", {"n_pairs": 16}), ("s6", {})):
    size = {"d_input": 48, "d_output": 2, "d_model": 32, "n_layers": 2}
    model = build_model(name, **size, seed=0, **options)
    run = train(model, task, epochs=1, batch_size=2, tbptt=4096)
    assert np.isfinite(run.history[0].train_loss)
    # ru_maxrss is inherited from the process that starts this one, VmHWM is not
    status = Path("/proc/self/status").read_text()
    print(name, int(status.split("VmHWM:")[1].split()[0]) / 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
def test_windows_of_65536_samples_are_trained_on_within_1_gb(tmp_path):
    random = np.random.default_rng(0)
    x = random.normal(size=(3, 65536, 48)).astype(np.float32)  # 36 MiB, which stay in the file
    x[1::2] += 0.1
    np.savez(tmp_path / "long.npz", x=x, y=np.array([0, 1, 0]))
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(tmp_path / "long.npz")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    peaks = {name: float(mb) for name, mb in (line.split() for line in done.stdout.splitlines())}
    assert set(peaks) == {"s4d", "s6"}
    assert max(peaks.values()) < 1000, peaks


def test_nothing_is_cut_off_where_only_padding_lies_behind_a_chunk(task):
    short = task.train.x.shape[1] - 3
    part = replace(task.train, lengths=np.minimum(task.train.lengths, short))
    shorter = replace(task, train=part)
    words = {"epochs": 1, "batch_size": 8, "tbptt": short}
    notes = train(network(shorter), shorter, **words).notes
    assert not any("Back-propagated" in note for note in notes)
    assert any("Back-propagated" in note for note in train(network(task), task, **words).notes)

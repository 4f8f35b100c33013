import errno
import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from timegrain.core.errors import ConfigError, ResultError
from timegrain.models.build import build_model
from timegrain.training import train
from timegrain.training.trainer.gradient import PlainGradient
from timegrain.training.trainer.keeper import Keeper
from timegrain.training.trainer.snapshots import Snapshots

KILLS = 50


def network(name="gru", *, seed=0, **options):
    sizes = {"d_input": 1, "d_output": 2, "d_model": 4, "n_layers": 1, "dropout": 0.3}
    return build_model(name, seed=seed, **sizes | options)


def learn(task, place=None, *, net=None, **options):
    net = network() if net is None else net
    kept = {} if place is None else {"snapshots": place, "snapshot_every": 0}
    return net, train(net, task, **{"stages": "4:1,1:1", "batch_size": 8, **kept, **options})


def same(one, other):
    (net, run), (expected, wanted) = one, other
    for name, value in expected.state_dict().items():
        assert torch.equal(net.state_dict()[name], value), name
    left = [replace(row, seconds=0.0) for row in run.history]
    assert left == [replace(row, seconds=0.0) for row in wanted.history]
    assert (run.score, run.low, run.correct) == (wanted.score, wanted.low, wanted.correct)


class Interrupted(Exception):
    pass


def interrupt(monkeypatch, after):
    """Break off after one step more than those kept."""
    original, done = Keeper.after_step, []

    def after_step(self, *args):
        done.append(1)
        if len(done) > after:
            raise Interrupted
        original(self, *args)

    monkeypatch.setattr(Keeper, "after_step", after_step)


def break_off(task, place, *, after=6, **options):
    with pytest.MonkeyPatch.context() as patch:
        interrupt(patch, after)
        with pytest.raises(Interrupted):
            learn(task, place, **options)


def test_fifty_kills_at_random_instants_change_nothing(tmp_path):
    script = Path(__file__).with_name("kills.py")
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path), str(KILLS)],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    kinds = Counter(found["kills"])
    assert kinds["while writing"] + kinds["between"] >= KILLS
    assert kinds["while writing"] > 0
    assert all(made == found["expected"] for made, _ in found["made"])
    notes = [note for _, (note, *_) in found["made"]]
    assert sum("Resumed" in note for note in notes) > len(notes) / 2


@pytest.mark.parametrize(("name", "after"), [("s4d", 0), ("s6", 3), ("s4d", 4), ("s6", 7)])
def test_a_training_goes_on_from_any_step(name, after, ragged, tmp_path):
    first, again, whole = (network(name, seed=None) for _ in range(3))
    whole.load_state_dict(first.state_dict())
    if after == 0:
        again.load_state_dict(first.state_dict())  # nothing else knows the weights
    break_off(ragged, tmp_path, after=after, net=first)
    torch.rand(3)  # whatever else draws numbers must not matter
    resumed = learn(ragged, tmp_path, net=again, resume=True)
    same(resumed, learn(ragged, net=whole))
    note = "no snapshot to resume from" if after == 0 else f"Resumed once after step {after} of 8"
    assert any(note in text for text in resumed[1].notes)
    assert any("other weights" in text for text in resumed[1].notes) == (after > 0)


@pytest.mark.parametrize(
    "options",
    [
        {"accumulate": 2},
        {"amp": True},
        {"tbptt": 10},
        {"deterministic": True},
        {"patience": 1, "stages": "4:4,1:4"},
    ],
    ids=lambda options: next(iter(options)),
)
def test_options_go_on_too(options, task, tmp_path):
    whole = learn(task, **options)
    # with patience the first stage ends after its second epoch, which is the eighth step
    for after in (7, 8, 11) if "patience" in options else (2,):
        place = tmp_path / str(after)
        break_off(task, place, after=after, **options)
        same(learn(task, place, resume=True, **options), whole)
    # and once more when it is finished, from the last snapshot
    same(learn(task, place, resume=True, **options), whole)


def test_a_finished_training_is_not_trained_again(task, tmp_path, monkeypatch):
    first = learn(task, tmp_path)
    monkeypatch.setattr(PlainGradient, "__call__", None)
    again = learn(task, tmp_path, resume=True)
    same(again, first)
    assert again[1].history == first[1].history
    assert any("after step 8 of 8" in note for note in again[1].notes)


def test_seconds_go_on_from_those_of_the_snapshot(task, tmp_path):
    break_off(task, tmp_path)
    before = Snapshots(tmp_path).latest().state["training"]
    run = learn(task, tmp_path, resume=True)[1]
    assert len(before["history"]) == 1
    assert run.history[0].seconds == before["history"][0]["seconds"]
    assert run.seconds > before["seconds"]


def test_a_damaged_snapshot_is_passed_over_and_named(task, tmp_path):
    break_off(task, tmp_path)
    older, newest = Snapshots(tmp_path).files()
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 16
    newest.write_bytes(content)
    again = learn(task, tmp_path, resume=True)
    same(again, learn(task))
    notes = " ".join(again[1].notes)
    assert f"{newest.name} is damaged (bytes that do not fit their checksum)" in notes
    assert "after step 5 of 8" in notes
    assert not older.exists() and not newest.exists()
    # the record of a training resumed once more still says so
    assert newest.name in " ".join(learn(task, tmp_path, resume=True)[1].notes)


def test_no_whole_snapshot_is_an_error(task, tmp_path):
    break_off(task, tmp_path)
    for path in Snapshots(tmp_path).files():
        path.write_bytes(b"")
    with pytest.raises(ResultError, match=r"no snapshot of the training is whole[\s\S]*beginning"):
        learn(task, tmp_path, resume=True)


def test_snapshots_are_not_overwritten_unasked(task, tmp_path):
    break_off(task, tmp_path)
    with pytest.raises(ConfigError, match=r"holds the snapshots of a training[\s\S]*resume=True"):
        learn(task, tmp_path)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"lr": 0.02}, r"lr 0\.01 there and 0\.02 here"),
        ({"net": network(seed=3)}, "model.seed 0 there and 3 here"),
        ({"seed": 4}, "seed 0 there and 4 here"),
        ({"stages": "4:1,1:2"}, "stages 4:1,1:1 there and 4:1,1:2 here"),
        ({"net": network(d_model=6)}, "model.d_model 4 there and 6 here"),
        ({"clip": 0.5}, "clip 1.0 there and 0.5 here"),
    ],
)
def test_another_training_is_not_resumed(options, words, task, tmp_path):
    break_off(task, tmp_path, after=2)
    with pytest.raises(ConfigError, match=f"of another training[\\s\\S]*{words}"):
        learn(task, tmp_path, resume=True, **options)


def test_other_data_are_not_resumed_on(task, tmp_path):
    break_off(task, tmp_path, after=2)
    x = task.train.x.copy()
    x[3, 2, 0] += 1e-6
    other = replace(task, train=replace(task.train, x=x))
    with pytest.raises(ConfigError, match="other training data"):
        learn(other, tmp_path, resume=True)


def test_a_full_disk_leaves_the_snapshots_before(task, tmp_path, monkeypatch):
    break_off(task, tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(ResultError, match=r"No space left on device[\s\S]*making room"):
            learn(task, tmp_path, resume=True)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    same(learn(task, tmp_path, resume=True), learn(task))


def test_another_number_of_threads_is_noted(task, tmp_path, monkeypatch):
    break_off(task, tmp_path)
    threads = torch.get_num_threads()
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads + 1)
    notes = " ".join(learn(task, tmp_path, resume=True)[1].notes)
    assert f"began with torch threads {threads} and went on with {threads + 1}, which may" in notes


def test_what_lies_aside_is_removed_and_two_stay(task, tmp_path):
    aside = tmp_path / ".snapshot-00000003.state.x1"
    aside.write_bytes(b"half")
    learn(task, tmp_path)
    assert not aside.exists()
    assert len(list(tmp_path.iterdir())) == 2


def test_short_epochs_write_one_a_second_and_the_last(task, tmp_path):
    learn(task, tmp_path, snapshot_every=30)
    assert [path.name for path in tmp_path.iterdir()] == ["snapshot-00000001.state"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"resume": True}, "resume=True without snapshots="),
        ({"snapshots": "x", "snapshot_every": -1}, "snapshot_every=-1"),
        ({"snapshots": "x", "snapshot_every": float("nan")}, "snapshot_every=nan"),
        ({"snapshots": "x", "snapshot_every": "often"}, "snapshot_every=often"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, words, task):
    with pytest.raises(ConfigError, match=words):
        learn(task, **options)


def test_a_directory_that_cannot_be_is_named(task, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ResultError, match="expected a directory that may be written"):
        learn(task, tmp_path / "file")

"""A stored network trained on is the one that the same steps by hand make."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from timegrain.core.errors import ConfigError
from timegrain.core.seeds import stream
from timegrain.training import decimate, evaluate, fine_tune, load_checkpoint
from timegrain.training.batch import Batch
from timegrain.training.optimise import cosine, make_optimiser

BATCH = 7


def drawn(name):
    return int(stream(5, "train", name).integers(2**63))


def by_hand(net, x, y, loss_of):
    """Train at tau = 2 in stages of stride 3 and 1."""
    optimiser = make_optimiser(net, lr=0.02, dynamics_lr=0.001, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, cosine(2 * -(-len(x) // BATCH)))
    orders = torch.Generator().manual_seed(drawn("order"))
    net.train()
    for stride in (3, 1):
        for index in torch.randperm(len(x), generator=orders).split(BATCH):
            offset = int(torch.randint(stride, (1,), generator=orders))
            batch = decimate(Batch(x=x, y=y).take(index), stride, offset=offset)
            optimiser.zero_grad()
            loss_of(net(batch.x, 2.0 * stride), batch.y).backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            schedule.step()


@pytest.mark.parametrize("kind", ["task", "whole_values"])
def test_every_step_is_told_tau_and_scaled_as_the_checkpoint_says(kind, request, stored):
    task = request.getfixturevalue(kind)
    checkpoint = stored(task)
    scale = checkpoint.record.inputs
    # another level and range, which the network has to see as it would have seen them before
    data = replace(task.dataset, sequences=tuple(2 * s - 1 for s in task.dataset.sequences))
    task = replace(task, dataset=data)
    raw = np.stack([data.sequences[i][::2] for i in task.train.index])
    x = torch.as_tensor((raw - scale.center) / scale.scale).float()
    y = torch.as_tensor(task.train.y)
    loss_of = nn.functional.cross_entropy
    if task.target_kind == "value":
        targets = checkpoint.record.targets
        y = (y[:, None] - torch.tensor(targets.center)) / torch.tensor(targets.scale)
        loss_of = nn.functional.mse_loss
    expected = stored(task, inputs=scale).model
    by_hand(expected, x, y, loss_of)
    options = {"stages": "3:1,1:1", "lr": 0.02, "batch_size": BATCH, "seed": 5}
    before = {name: value.clone() for name, value in checkpoint.model.state_dict().items()}
    tuned = fine_tune(checkpoint, task, tau=2, decimator="phase", **options)
    for name, value in expected.state_dict().items():
        assert torch.equal(tuned.model.state_dict()[name], value), name
        assert torch.equal(checkpoint.model.state_dict()[name], before[name]), name
    assert tuned.run.dt_trained == task.dt
    if task.target_kind == "class":
        assert tuned.run.score == evaluate(tuned.model, tuned.start.task, tau=2.0).score


def test_the_new_checkpoint_keeps_its_step_and_says_where_it_was_tuned(task, stored, tmp_path):
    checkpoint = stored(task)
    tuned = fine_tune(checkpoint, task, tau=2, decimator="phase", epochs=1, lr=1e-9)
    again = load_checkpoint(tuned.save(tmp_path / "tuned"))
    assert (again.dt_trained, again.record.dt_tuned) == (0.01, 0.02)
    assert "0.01 s; fine-tuned at 0.02 s" in repr(again)
    assert again.record.inputs == checkpoint.record.inputs
    assert again.record.metrics["accuracy"] == tuned.run.score
    # at so low a rate the weights stay, and so do the answers
    assert tuned.run.score == tuned.before.score
    raw = [s[::2] for s in task.dataset.sequences]
    assert (again.predict(raw, hz=50) == checkpoint.predict(raw, tau=2)).all()
    notes = " ".join(tuned.run.notes)
    assert "at a step of 0.02 s, told tau = 2: tau = 1 still stands for 0.01 s" in notes
    assert f"accuracy was {tuned.before.score:.3f} before fine-tuning and is" in notes
    made = tuned.run.provenance.parameters
    assert made["gain"] == pytest.approx(tuned.run.score - tuned.before.score)
    assert made["gain_low"] <= made["gain"] <= made["gain_high"]


def test_a_network_that_cannot_be_told_takes_the_new_step_for_its_own(task, stored, tmp_path):
    checkpoint = stored(task, "gru")
    tuned = fine_tune(checkpoint, task, tau=2, decimator="phase", epochs=1)
    assert "as if tau were 1, so that this is its step now; it was 0.01 s" in tuned.run.notes[0]
    assert tuned.run.dt_trained == 0.02
    again = load_checkpoint(tuned.save(tmp_path / "tuned"))
    assert (again.dt_trained, again.record.dt_tuned) == (0.02, 0.02)


def test_what_the_checkpoint_says_cannot_be_said_again(task, stored):
    with pytest.raises(ConfigError, match="targets= for the training"):
        fine_tune(stored(task), task, epochs=1, targets=None)

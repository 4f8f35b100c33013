"""`train` against the same training written out by hand: equal bits."""

import torch
from torch import nn

from timegrain.core.seeds import stream
from timegrain.models.build import build_model
from timegrain.training import decimate, train
from timegrain.training.objective import Objective
from timegrain.training.optimise import cosine, make_optimiser
from timegrain.training.score import make_batch

STAGES, BATCH = ((4, 1), (2, 1), (1, 2)), 7


def network():
    return build_model("gru", d_input=1, d_output=2, d_model=6, n_layers=2, dropout=0.3, seed=1)


def drawn(name):
    return int(stream(5, "train", name).integers(2**63))


def by_hand(net, task):
    objective = Objective.of(task)
    data = make_batch(task.train, objective)
    optimiser = make_optimiser(net, lr=0.02, dynamics_lr=0.001, weight_decay=0.01)
    total = sum(epochs for _, epochs in STAGES) * -(-len(data) // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, cosine(total))
    orders = torch.Generator().manual_seed(drawn("order"))
    torch.manual_seed(drawn("dropout"))
    losses = []
    net.train()
    for stride, epochs in STAGES:
        for _ in range(epochs):
            lost = 0.0
            for index in torch.randperm(len(data), generator=orders).split(BATCH):
                offset = int(torch.randint(stride, (1,), generator=orders))
                batch = decimate(data.take(index), stride, offset=offset)
                optimiser.zero_grad()
                loss = objective.loss(net(batch.x, float(stride), lengths=batch.lengths), batch)
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 0.5)
                optimiser.step()
                schedule.step()
                lost += float(loss.detach()) * len(index)
            losses.append(lost / len(data))
    return losses


def test_train_is_a_plain_loop(ragged):
    trained, expected = network(), network()
    losses = by_hand(expected, ragged)
    run = train(trained, ragged, stages=STAGES, batch_size=BATCH, lr=0.02, clip=0.5, seed=5)
    assert [row.train_loss for row in run.history] == losses
    for name, value in expected.state_dict().items():
        assert torch.equal(trained.state_dict()[name], value), name

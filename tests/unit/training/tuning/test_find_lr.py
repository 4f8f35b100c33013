from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from timegrain.core.errors import ConfigError, DataError, ModelError
from timegrain.models.build import build_model
from timegrain.training.plan.plan import SubsamplingPlan
from timegrain.training.tuning.rate import LearningRate
from timegrain.training.tuning.search import find_lr


def network(seed=0):
    return build_model("gru", d_input=1, d_output=2, d_model=8, n_layers=1, seed=seed)


class Watched(nn.Module):
    """Answers by its mean and remembers, over all copies, which sequences it saw."""

    takes_tau = True

    def __init__(self, explodes=False):
        super().__init__()
        self.out = nn.Linear(1, 2)
        self.explodes = explodes
        self.seen = []

    def __deepcopy__(self, memo):
        twin = Watched(self.explodes)
        twin.load_state_dict(self.state_dict())
        twin.seen = self.seen
        return twin

    def forward(self, x, tau=1.0, *, lengths=None):
        self.seen.append((self.training, tau, x.detach()))
        out = self.out(x.mean(1))
        moved = bool((self.out.weight.abs() > 3).any())
        return out * float("nan") if self.explodes and moved else out


def test_the_rate_that_learns_is_found_and_the_network_is_left_alone(task):
    net = network()
    before = [p.clone() for p in net.parameters()]
    torch.manual_seed(5)
    expected = torch.rand(2)
    torch.manual_seed(5)
    found = find_lr(net, task, rates=(0.03, 1e-5, 1e-4), epochs=24)
    assert torch.equal(torch.rand(2), expected)
    assert all(torch.equal(a, b) for a, b in zip(before, net.parameters(), strict=True))
    assert all(p.grad is None for p in net.parameters())
    assert found.rates == (1e-5, 1e-4, 0.03)
    # the classes are seven standard deviations apart; 1e-5 moves nothing in six epochs
    assert found.lr == 0.03
    assert found.scores[-1] > found.scores[0]
    assert found.seconds > 0
    assert (found.epochs, found.n_train, found.n_held_out) == (6, 26, 6)
    assert "It is the highest that was tried: a higher one may be better" in found.sentence
    again = find_lr(network, task, rates=(1e-5, 1e-4, 0.03), epochs=24)
    assert again == replace(found, seconds=again.seconds)


def test_the_test_part_is_never_looked_at(task):
    broken = replace(task, test=replace(task.test, x=np.full_like(task.test.x, np.nan)))
    net = Watched()
    find_lr(net, broken, rates=(0.01,), epochs=2)
    assert net.seen
    assert not any(bool(x.isnan().any()) for _, _, x in net.seen)


def test_a_plan_is_tried_as_a_plan_and_scored_on_all_samples(task):
    net = Watched()
    plan = SubsamplingPlan.parse("4:3,1:1")
    found = find_lr(net, task, rates=(0.01,), plan=plan, epochs=8, options={"batch_size": 13})
    assert found.epochs == 2
    trained = [(tau, x.shape[1]) for training, tau, x in net.seen if training and len(x) == 13]
    assert trained == [(4.0, 6), (4.0, 6), (1.0, 24), (1.0, 24)]
    assert {x.shape[1] for training, _, x in net.seen if not training} == {24}


def test_rates_that_diverge_are_recorded_and_only_all_of_them_are_an_error(task):
    net = Watched(explodes=True)
    found = find_lr(net, task, rates=(1e-3, 5.0), epochs=8)
    assert found.lr == 1e-3
    assert found.scores[1] is None
    assert "At 5 the training diverged." in found.sentence
    with pytest.raises(ModelError, match="diverges at every learning rate that was tried, got 5"):
        find_lr(net, task, rates=(5.0,), epochs=8)


def test_equal_scores_give_the_lower_rate(task):
    class Constant(Watched):
        def __deepcopy__(self, memo):
            return Constant()

        def forward(self, x, tau=1.0, *, lengths=None):
            return self.out(x.mean(1)) * 0 + torch.tensor([1.0, 0.0])

    assert find_lr(Constant(), task, rates=(0.03, 0.01), epochs=1).lr == 0.01


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"rates": ()}, ConfigError, "no learning rates to try"),
        ({"rates": 0.1}, ConfigError, "no learning rates to try, got rates=0.1"),
        ({"rates": (0.1, -1)}, ConfigError, "rates=-1"),
        ({"epoch_share": 2}, ConfigError, "epoch_share=2"),
        ({"validation": 0}, ConfigError, "validation=0"),
        ({"epochs": 0}, ConfigError, "epochs is a whole number, got 0"),
        ({"options": {"lr": 1, "resume": True}}, ConfigError, "options=, got lr, resume"),
        ({"options": {"batch_sise": 8}}, ConfigError, r"no such option, got batch_sise[\s\S]*size"),
        ({"options": {"batch_size": 0}}, ConfigError, "batch_size"),
        ({"stages": "1:2", "plan": "none"}, ConfigError, "stages say themselves"),
    ],
)
def test_wrong_words_are_refused(task, options, error, words):
    with pytest.raises(error, match=words):
        find_lr(Watched(), task, **options)


def test_what_is_no_network_or_does_not_fit_is_refused(task):
    with pytest.raises(ModelError, match="a network is needed, or a function"):
        find_lr("s4d", task)
    with pytest.raises(ModelError, match="does not fit the task"):
        find_lr(build_model("gru", d_input=1, d_output=3, d_model=4, n_layers=1), task)
    alone = replace(task, train=replace(task.train, y=np.zeros_like(task.train.y)))
    with pytest.raises(DataError, match="of one class"):
        find_lr(Watched(), alone)


def test_one_rate_alone_lies_at_no_edge():
    rate = LearningRate(
        lr=0.01, rates=(0.01,), scores=(0.5,), metric="r2", epochs=1, n_train=9, n_held_out=2,
        seconds=1.0,
    )  # fmt: skip
    assert "tried:" not in rate.sentence

import copy

import pytest
import torch

from timegrain.core.errors import ConfigError
from timegrain.models.build import build_model
from timegrain.training import Batch
from timegrain.training.batch_norms import running_statistics
from timegrain.training.distributed import SharedGradient, check_agreement
from timegrain.training.distributed.agreement import share_weights
from timegrain.training.objective import Objective
from timegrain.training.plan.settings import StepSettings
from timegrain.training.trainer.gradient import PlainGradient

OBJECTIVE = Objective(target_kind="class", d_output=2, center=torch.zeros(2), scale=torch.ones(2))
LENGTHS = (17, 3, 9, 1, 12)


def settings(stride):
    return StepSettings(
        stage=0,
        stride=stride,
        tau=float(stride),
        decimator="phase",
        place="input",
        batch_size=5,
    )


def network(head="mean"):
    """With a parameter that has no part in the answer."""
    sizes = {"d_input": 2, "d_output": 2, "d_model": 4, "n_layers": 1}
    model = build_model("s4d", **sizes, head=head, seed=0)
    model.spare = torch.nn.Parameter(torch.ones(3))
    return model


def batch_of(n, *, per_step):
    generator = torch.Generator().manual_seed(n)
    shape = (n, 17) if per_step else (n,)
    return Batch(
        x=torch.randn(n, 17, 2, generator=generator),
        y=torch.randint(2, shape, generator=generator),
        lengths=torch.tensor(LENGTHS[:n]),
        per_step=per_step,
    )


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("per_step", [False, True])
def test_it_is_the_gradient_of_the_whole_batch(in_threads, size, per_step):
    head = "step" if per_step else "mean"
    for n, stride in ((5, 1), (5, 4), (2, 2), (1, 1)):  # of one, the other shares are empty
        batch = batch_of(n, per_step=per_step)
        whole = network(head)
        loss = PlainGradient(whole, OBJECTIVE)(batch, settings(stride), 0)

        def work(team, batch=batch, stride=stride, whole=whole):
            model = copy.deepcopy(whole)
            model.zero_grad()
            rule = SharedGradient(
                model, PlainGradient(model, OBJECTIVE), team, seed=0, number=lambda: 1
            )
            return rule(batch, settings(stride), 0), model

        for shared, model in in_threads(size, work):
            # float32 sums of some hundred terms in another order
            assert shared == pytest.approx(loss, abs=1e-6)
            for (name, a), b in zip(whole.named_parameters(), model.parameters(), strict=True):
                if name == "spare":
                    assert a.grad is None and b.grad is None
                else:
                    torch.testing.assert_close(b.grad, a.grad, rtol=1e-4, atol=1e-6)


def test_batch_norms_keep_the_statistics_of_the_first(in_threads):
    whole = build_model("s4d", d_input=2, d_output=2, d_model=4, n_layers=1, norm="batch", seed=0)
    batch, before = batch_of(5, per_step=False), [b.clone() for b in running_statistics(whole)]
    alone = copy.deepcopy(whole)
    PlainGradient(alone, OBJECTIVE)(batch.take(torch.arange(3)), settings(1), 0)

    def work(team):
        model = copy.deepcopy(whole)
        rule = SharedGradient(
            model, PlainGradient(model, OBJECTIVE), team, seed=0, number=lambda: 1
        )
        rule(batch, settings(1), 0)
        return list(running_statistics(model))

    assert len(before) == 3
    for found in in_threads(2, work):
        for mine, first, old in zip(found, running_statistics(alone), before, strict=True):
            torch.testing.assert_close(mine, first)
            assert not torch.equal(mine, old)


def test_shares_are_all_of_the_batch(in_threads):
    for n in range(6):
        shares = in_threads(4, lambda team, n=n: team.share(n))
        assert torch.equal(torch.cat(shares), torch.arange(n))
        assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_dropout_draws_apart_and_the_same_again(in_threads):
    def draws(team, number):
        drawn = []

        def rule(batch, settings, offset):
            drawn.append(torch.default_generator.initial_seed())
            return 0.0

        shared = SharedGradient(network(), rule, team, seed=0, number=lambda: number)
        # one after the other, as all threads have one generator
        for turn in range(team.size):
            team.gather(torch.zeros(1))
            if turn == team.rank:
                shared.team = _Alone(team)
                shared(batch_of(5, per_step=False), settings(1), 0)
            team.gather(torch.zeros(1))
        return drawn[0]

    state = torch.random.get_rng_state()
    first, again, later = (in_threads(2, lambda team, k=k: draws(team, k)) for k in (1, 1, 2))
    torch.random.set_rng_state(state)
    assert first == again
    assert len({*first, *later}) == 4


class _Alone:
    """A member that does not wait for the others."""

    def __init__(self, team):
        self.rank, self.share = team.rank, team.share

    def add_up(self, values):
        pass


def test_weights_of_the_first_are_given_to_all(in_threads):
    def work(team):
        model = build_model("gru", d_input=1, d_output=2, d_model=3, n_layers=1, seed=team.rank)
        share_weights(team, model)
        return [p.detach().clone() for p in model.parameters()]

    first, second = in_threads(2, work)
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


def test_processes_that_differ_are_told_in_what(in_threads):
    def work(team):
        check_agreement(team, {"the task": "ecg", "the plan": f"{team.rank}:1"}, hint="one plan")

    for error in in_threads(3, work):
        assert isinstance(error, ConfigError)
        assert "differ in the plan, got processes 0 and 1" in str(error)
    assert in_threads(2, lambda team: check_agreement(team, {"the task": 1}, hint="")) == [None] * 2

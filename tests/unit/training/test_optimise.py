import pytest
import torch
from torch import nn

from timegrain.core.errors import ConfigError, ModelError
from timegrain.models.build import build_model
from timegrain.training.optimise import cosine, make_optimiser, parameter_groups


def test_time_scales_have_their_own_rate_and_never_decay():
    net = build_model("s4d", d_input=1, d_output=2, d_model=4, n_layers=2, n_pairs=2, seed=0)
    scales, others = make_optimiser(net, lr=0.1, dynamics_lr=0.02, weight_decay=0.3).param_groups
    assert {id(p) for p in scales["params"]} == {id(p) for p in net.dynamics_parameters()}
    assert (scales["lr"], scales["weight_decay"]) == (0.02, 0.0)
    assert (others["lr"], others["weight_decay"]) == (0.1, 0.3)
    assert len(scales["params"]) + len(others["params"]) == len(list(net.parameters()))


def test_groups_leave_out_what_is_frozen_and_what_there_is_none_of():
    net = build_model("s4d", d_input=1, d_output=2, d_model=4, n_layers=1, n_pairs=2, seed=0)
    for parameter in net.dynamics_parameters():
        parameter.requires_grad_(False)
    (group,) = parameter_groups(net, lr=0.1, weight_decay=0.3)
    assert (group["lr"], group["weight_decay"]) == (0.1, 0.3)
    (group,) = parameter_groups(nn.Linear(1, 1), lr=0.1)
    assert len(group["params"]) == 2


@pytest.mark.parametrize("total", [1, 2, 7, 100, 1000])
def test_the_schedule_rises_to_its_peak_and_falls_towards_nothing(total):
    factors = [cosine(total)(step) for step in range(total)]
    peak = factors.index(max(factors))
    assert max(factors) == 1.0
    assert peak <= 0.06 * total + 1
    assert factors[:peak] == sorted(factors[:peak])
    assert factors[peak:] == sorted(factors[peak:], reverse=True)
    assert all(0 < f <= 1 for f in factors)


@pytest.mark.parametrize("option", ["lr", "dynamics_lr"])
@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan")])
def test_rates_that_cannot_train_are_refused(option, rate):
    options = {"lr": 0.1, "dynamics_lr": 0.1, "weight_decay": 0.0, option: rate}
    with pytest.raises(ConfigError, match=option):
        make_optimiser(nn.Linear(1, 1), **options)


def test_a_model_without_parameters_is_refused():
    with pytest.raises(ModelError):
        make_optimiser(nn.Identity(), lr=0.1, dynamics_lr=0.1, weight_decay=0.0)


def test_one_pass_moves_weights_as_one_operation_after_the_other_does():
    def moved(make):
        torch.manual_seed(0)
        net = nn.Linear(5, 3).double()
        optimiser = make(net)
        for _ in range(4):
            optimiser.zero_grad()
            (net(torch.ones(2, 5).double()) ** 2).sum().backward()
            optimiser.step()
        return net.weight.detach()

    ours = moved(lambda net: make_optimiser(net, lr=0.1, dynamics_lr=0.1, weight_decay=0.1))
    theirs = moved(
        lambda net: torch.optim.AdamW(net.parameters(), lr=0.1, weight_decay=0.1, foreach=False)
    )
    # four steps of a tenth, each off by a few roundings
    assert torch.allclose(ours, theirs, rtol=0, atol=1e-14)


def test_complex_weights_are_moved_too():
    net = nn.Module()
    net.weight = nn.Parameter(torch.ones(3, dtype=torch.complex64))
    optimiser = make_optimiser(net, lr=0.1, dynamics_lr=0.1, weight_decay=0.0)
    net.weight.abs().sum().backward()
    optimiser.step()
    assert (net.weight.detach().abs() < 1).all()

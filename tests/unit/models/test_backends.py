"""Layers in a block of `use_backend`."""

from threading import Thread

import pytest
import torch

from timegrain.core.errors import ConfigError
from timegrain.kernels import use_backend
from timegrain.kernels.dispatch import recorded
from timegrain.models import build_layer, build_model

OPTIONS = {
    "s4": {"n_state": 2},
    "s4d": {"n_pairs": 1},
    "s5": {"n_state": 2, "n_blocks": 1},
    "s6": {"n_state": 2},
    "mamba": {"n_state": 2, "d_conv": 2, "expand": 1},
}


def made(name, **options):
    return build_layer(name, d_model=2, seed=0, **OPTIONS[name], **options).double()


def signal(length):
    return torch.randn(1, length, 2, generator=torch.Generator().manual_seed(0)).double()


@pytest.mark.parametrize("uneven", [False, True], ids=["even", "uneven"])
@pytest.mark.parametrize("name", OPTIONS)
def test_second_derivatives_are_right_in_a_block_of_torch(name, uneven):
    layer, x = made(name), signal(3).requires_grad_()
    tau = torch.tensor([[0.5, 1.0, 2.0]]).double() if uneven else 1.0
    names = [key for key, _ in layer.named_parameters()]

    def call(x, *weights):
        with use_backend("torch"):
            return torch.func.functional_call(
                layer, dict(zip(names, weights, strict=True)), (x, tau)
            )

    weights = [p.detach().requires_grad_() for p in layer.parameters()]
    assert torch.autograd.gradgradcheck(call, (x, *weights), fast_mode=True)
    with pytest.raises(ConfigError, match=r"first derivatives only[\s\S]*use_backend"):
        torch.autograd.grad(layer(x, tau).sum(), x, create_graph=True)


@pytest.mark.parametrize("name", OPTIONS)
def test_every_kernel_of_a_network_follows_and_gives_the_same(name):
    net = build_model(name, d_input=2, d_output=2, d_model=2, n_layers=1, head="step", seed=0,
                      **OPTIONS[name]).double()  # fmt: skip
    x, tau = signal(20), torch.linspace(0.5, 2, 20).double()[None]
    for step in (1.0, tau):
        found = []
        for backend in ("numba", "torch", "reference"):
            with torch.no_grad(), use_backend(backend), recorded() as choices:
                found.append(net(x, step))
            assert {choice.backend for choice in choices.values()} == {backend}
            assert "glu_sum" in choices  # small as it is
        for other in found[1:]:
            # 20 steps of a contraction, rounded a few dozen times each
            assert (other - found[0]).abs().max() < 1e-12 * found[0].abs().max()


def test_a_backward_pass_keeps_the_choice_of_its_forward_pass():
    layer, x = made("s6"), signal(5).requires_grad_()
    with use_backend("torch"):
        y = layer(x).square().sum()
    got = []
    work = Thread(target=lambda: got.extend(torch.autograd.grad(y, x, create_graph=True)))
    work.start()
    work.join()
    assert got[0].requires_grad

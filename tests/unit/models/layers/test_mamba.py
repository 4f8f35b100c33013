import math

import numpy as np
import pytest
import torch

from timegrain.core.errors import ConfigError
from timegrain.kernels import explain
from timegrain.models import Mamba, build_layer, build_model


def silu(a):
    return a / (1 + np.exp(-a))


def by_hand(layer: Mamba, x: np.ndarray) -> np.ndarray:
    """The block in plain loops over numpy arrays, but for the S6 in it."""
    w = {name: p.detach().numpy() for name, p in layer.named_parameters()}
    inner, width = w["conv.weight"].shape
    y = np.zeros_like(x)
    for b in range(x.shape[0]):
        both = x[b] @ w["in_proj.weight"].T + w["in_proj.bias"]
        u, z = both[:, :inner], both[:, inner:]
        v = np.zeros_like(u)
        for k in range(x.shape[1]):
            for j in range(width):
                if k - j >= 0:
                    v[k] += w["conv.weight"][:, width - 1 - j] * u[k - j]
        v = silu(v + w["conv.bias"])
        h = layer.ssm(torch.from_numpy(v[None])).detach().numpy()[0]
        y[b] = (h * silu(z)) @ w["out_proj.weight"].T + w["out_proj.bias"]
    return y


def test_equals_the_block_written_out():
    layer = build_layer("mamba", d_model=6, seed=0, n_state=3, bias=True).double()
    x = np.random.default_rng(0).normal(size=(2, 9, 6))
    y = layer(torch.from_numpy(x)).detach().numpy()
    np.testing.assert_allclose(y, by_hand(layer, x), rtol=1e-10, atol=1e-12)


def test_has_the_sizes_of_the_published_block():
    layer = build_layer("mamba", d_model=40, seed=0)
    shapes = {name: tuple(p.shape) for name, p in layer.named_parameters()}
    assert shapes == {
        "in_proj.weight": (160, 40),
        "conv.weight": (80, 4),
        "conv.bias": (80,),
        "ssm.x_proj.weight": (3 + 32, 80),
        "ssm.dt_proj.weight": (80, 3),
        "ssm.dt_proj.bias": (80,),
        "ssm.A_log": (80, 16),
        "ssm.D": (80,),
        "out_proj.weight": (40, 80),
    }
    bare = build_layer("mamba", d_model=8, seed=0, skip=False, conv_bias=False, expand=3)
    assert bare.D is None
    assert bare.conv.bias is None
    assert bare.out_proj.in_features == 24


def test_the_step_reaches_the_state_space_layer_and_not_the_convolution():
    layer = build_layer("mamba", d_model=6, seed=0).double()
    seen = {}
    layer.conv.register_forward_hook(lambda _, __, out: seen.setdefault("conv", []).append(out))
    layer.ssm.register_forward_hook(lambda _, __, out: seen.setdefault("ssm", []).append(out))
    x = torch.randn(1, 20, 6, dtype=torch.float64)
    layer(x)
    layer(x, 0.5)
    assert torch.equal(*seen["conv"])
    assert not torch.equal(*seen["ssm"])


def test_the_state_is_the_last_inputs_of_the_convolution_and_the_state_of_s6():
    layer = build_layer("mamba", d_model=6, seed=0, n_state=5).double()
    x = torch.randn(2, 20, 6, dtype=torch.float64)
    _, (inputs, hidden) = layer.scan(x, lengths=torch.tensor([20, 2]))
    u = layer.in_proj(x)[..., :12]
    assert torch.equal(inputs[0], u[0, -3:])
    assert torch.equal(inputs[1, 1:], u[1, :2])
    assert not inputs[1, 0].any()
    assert hidden.shape == (2, 12, 5)


def test_a_convolution_of_one_sample_carries_none():
    layer = build_layer("mamba", d_model=4, seed=0, d_conv=1).double()
    x = torch.randn(1, 9, 4, dtype=torch.float64)
    whole, (inputs, _) = layer.scan(x)
    assert inputs.shape == (1, 0, 8)
    first, state = layer.scan(x[:, :5])
    rest, _ = layer.scan(x[:, 5:], state)
    assert torch.allclose(torch.cat([first, rest], 1), whole, atol=1e-14)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"expand": 1.5}, "expand"),
        ({"expand": "two"}, "expand"),
        ({"d_conv": 0}, "d_conv"),
        ({"rank": 0}, "rank"),
        ({"bias": 1}, "bias"),
        ({"discretization": "foh"}, "discretization"),
    ],
)
def test_options_outside_their_domain(options, words):
    with pytest.raises(ConfigError, match=words):
        build_layer("mamba", d_model=4, **options)


def test_a_network_is_trained_through_chunks_with_its_nested_state():
    net = build_model("mamba", d_input=2, d_output=3, d_model=6, n_layers=2, head="step", seed=0)
    x = torch.randn(2, 30, 2)
    first, state = net.scan(x[:, :11])
    rest, _ = net.scan(x[:, 11:], state)
    whole = net.features(x)
    assert torch.allclose(torch.cat([first, rest], 1), whole, atol=1e-5)
    rest.sum().backward()
    assert all(math.isfinite(float(p.grad.abs().sum())) for p in net.encoder.parameters())


def test_long_sequences_take_compiled_loops_and_short_ones_give_the_same():
    layer = build_layer("mamba", d_model=6, seed=0, n_state=2).double()
    x = torch.randn(1, 3000, 6, dtype=torch.float64)
    with torch.no_grad():
        whole, state, parts = layer.scan(x, tau=0.5), None, []
        assert explain()["silu_gate"].backend == explain()["softplus_steps"].backend == "numba"
        for piece in x.split(500, 1):
            y, state = layer.scan(piece, state, tau=0.5)
            parts.append(y)
        assert explain()["silu_gate"].backend == explain()["softplus_steps"].backend == "torch"
    assert torch.allclose(torch.cat(parts, 1), whole[0], rtol=0, atol=1e-13)

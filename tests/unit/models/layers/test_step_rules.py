"""How the step enters layers with a matrix state, and that simpler rules would not do."""

import itertools

import pytest
import torch
from torch.nn import functional as F

from timegrain.kernels import matrix_scan
from timegrain.models import build_layer


def signal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def wave(length, tau, channels=8):
    t = torch.arange(length, dtype=torch.float64)[:, None] * tau
    return torch.sin(t / torch.arange(3.0, 3.0 + channels).double() + 1)[None]


@pytest.mark.parametrize("name", ["gla", "deltanet"])
@pytest.mark.parametrize("parts", [2, 16])
def test_short_steps_of_a_held_input_are_one_long_step(name, parts):
    """Exactly so: gates multiply, and what a unit key reads goes on to its value at one rate."""
    options = {"d_conv": 0} if name == "deltanet" else {}
    layer = build_layer(name, d_model=8, seed=0, **options).double()
    x = signal(1, 20, 8)
    for tau in (1.0, 4.0):
        whole, state = layer.scan(x, tau=tau)
        held, after = layer.scan(x.repeat_interleave(parts, 1), tau=tau / parts)
        # keys are of unit length but for the 1e-6 under their root
        close = {"rtol": 0, "atol": 1e-12 if name == "gla" else 1e-3}
        torch.testing.assert_close(after, state, **close)
        torch.testing.assert_close(held[:, parts - 1 :: parts], whole, **close)


def last_states(scan, levels=(2, 4, 6)):
    return [scan(2.0**-level, wave(20 * 2**level, 2.0**-level)) for level in levels]


def test_gates_alone_would_let_gla_diverge():
    """Four times as many samples write, each as much as before: states four times as large."""
    layer = build_layer("gla", d_model=8, seed=0).double()

    def naive(tau, x):
        chosen = layer._select(x, x, 1.0)
        return matrix_scan(
            chosen.q, chosen.k, chosen.v, log_gate=tau * chosen.log_gate, return_state=True
        )[1].norm()

    ours = last_states(lambda tau, x: layer.scan(x, tau=tau)[1].norm())
    for less, more in itertools.pairwise(last_states(naive)):
        assert 3.5 < more / less < 4.5
    assert abs(ours[2] - ours[1]) < 0.3 * abs(ours[1] - ours[0])


def test_a_fixed_strength_would_let_deltanet_forget_at_once():
    """A value is replaced in so many samples, not in so much time: memory shrinks with the step."""
    layer = build_layer("deltanet", d_model=8, seed=0, d_conv=0).double()
    x = signal(1, 1, 8)

    def left(tau, ratio):
        """What is left of a value after as long again, while its key comes with nothing."""
        n = round(1 / tau)
        chosen = layer._select(x, F.silu(layer._project(x)), ratio)
        k, v = (part.expand(1, 2 * n, *part.shape[2:]).clone() for part in (chosen.k, chosen.v))
        v[:, n:] = 0.0
        beta = chosen.beta.expand(1, 2 * n, -1)
        half = matrix_scan(k[:, :n], k[:, :n], v[:, :n], beta=beta[:, :n], return_state=True)[1]
        return (matrix_scan(k, k, v, beta=beta, return_state=True)[1].norm() / half.norm()).item()

    fine = 1 / 64
    assert left(fine, fine) == pytest.approx(left(1.0, 1.0), rel=1e-3)
    assert left(fine, 1.0) < 1e-6 * left(1.0, 1.0)


def test_negative_eigenvalues_have_no_step():
    for name in ("deltanet", "gated_deltanet"):
        layer = build_layer(name, d_model=8, seed=0, negative_eigenvalues=True)
        assert not layer.takes_tau and build_layer(name, d_model=8).takes_tau
        x = signal(1, 20, 8).float()
        assert torch.equal(layer(x, 0.25), layer(x))
        assert layer._select(x, layer._project(x), 1.0).beta.max() > 1


def test_the_normaliser_weighs_samples_by_their_step():
    """Two samples at half a step weigh as much as one: the mean of values is one over time."""
    layer = build_layer("linear_attention", d_model=8, seed=0).double()
    x = signal(1, 20, 8)
    tau = torch.ones(1, 40).double() / 2
    torch.testing.assert_close(
        layer(x.repeat_interleave(2, 1), tau)[:, 1::2], layer(x), rtol=0, atol=1e-12
    )

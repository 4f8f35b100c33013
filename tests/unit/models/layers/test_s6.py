import math

import numpy as np
import pytest
import torch

from timegrain.core.errors import ConfigError
from timegrain.models import S6, build_layer


def by_hand(layer: S6, x: np.ndarray, tau: float) -> np.ndarray:
    """The paper's recurrence in plain loops over numpy arrays."""
    w = {name: p.detach().numpy() for name, p in layer.named_parameters()}
    A, n, rank = -np.exp(w["A_log"]), layer.n_state, layer.rank
    y = np.zeros_like(x)
    for b in range(x.shape[0]):
        h = np.zeros((x.shape[2], n))
        for k in range(x.shape[1]):
            z = w["x_proj.weight"] @ x[b, k]
            low, B, C = z[:rank], z[rank : rank + n], z[rank + n :]
            if layer.norm_eps is not None:
                low, B, C = (v / np.sqrt(np.mean(v**2) + layer.norm_eps) for v in (low, B, C))
            s = w["dt_proj.weight"] @ low + w["dt_proj.bias"]
            delta = tau * np.log1p(np.exp(s))
            for d in range(x.shape[2]):
                for i in range(n):
                    decay = math.exp(delta[d] * A[d, i])
                    euler = layer.discretization == "euler_b"
                    weight = delta[d] if euler else (decay - 1) / A[d, i]
                    h[d, i] = decay * h[d, i] + weight * B[i] * x[b, k, d]
                y[b, k, d] = h[d] @ C + w["D"][d] * x[b, k, d]
    return y


@pytest.mark.parametrize("discretization", ["euler_b", "zoh"])
@pytest.mark.parametrize("d_model", [3, 32])
def test_equals_the_recurrence_written_out(discretization, d_model):
    layer = build_layer("s6", d_model=d_model, seed=0, n_state=4, discretization=discretization)
    layer = layer.double()
    x = np.random.default_rng(0).normal(size=(2, 9, d_model))
    for tau in (1.0, 0.25):
        y = layer(torch.from_numpy(x), tau).detach().numpy()
        np.testing.assert_allclose(y, by_hand(layer, x, tau), rtol=1e-10, atol=1e-12)


def test_norms_of_what_it_selects_are_those_written_out():
    layer = build_layer("s6", d_model=32, seed=0, n_state=4, norm_eps=0.1).double()
    x = np.random.default_rng(0).normal(size=(2, 9, 32))
    signal = torch.from_numpy(x)
    for tau in (1.0, 0.25):
        y = layer(signal, tau).detach().numpy()
        np.testing.assert_allclose(y, by_hand(layer, x, tau), rtol=1e-10, atol=1e-12)
    steps, state = [], None
    for k in range(9):
        one, state = layer.step(signal[:, k], state, tau=0.25)
        steps.append(one)
    np.testing.assert_allclose(torch.stack(steps, 1).detach().numpy(), y, rtol=1e-10, atol=1e-12)
    with pytest.raises(ConfigError, match="norm_eps is above zero"):
        build_layer("s6", d_model=4, norm_eps=-1.0)
    half = build_layer("s6", d_model=32, seed=0, norm_eps=0.1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        delta, B, C = half.select(signal.float())
    assert (delta.dtype, B.dtype, C.dtype) == (torch.float32, torch.bfloat16, torch.bfloat16)


def test_the_discretisations_differ_and_meet_on_fine_grids():
    euler = build_layer("s6", d_model=8, seed=0, skip=False).double()
    zoh = build_layer("s6", d_model=8, seed=0, skip=False, discretization="zoh").double()
    x = torch.randn(1, 50, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)

    def difference(tau: float) -> float:
        a, b = euler(x, tau).detach(), zoh(x, tau).detach()
        return float((a - b).abs().max() / b.abs().max())

    assert difference(1.0) > 1e-3
    # The weights differ by 1 + Delta |A| / 2 + ...: halving tau halves what lies between them.
    assert difference(2**-11) == pytest.approx(difference(2**-10) / 2, rel=0.01)


def test_starts_as_mamba_does():
    layer = build_layer("s6", d_model=640, seed=0)
    assert layer.rank == 40
    torch.testing.assert_close(layer.A[5].detach(), -torch.arange(1.0, 17.0))
    assert torch.equal(layer.D.detach(), torch.ones(640))
    assert layer.x_proj.bias is None
    bound = 40**-0.5
    # 25,600 uniform draws come within a thousandth of the ends with near certainty.
    assert 0.999 * bound < layer.dt_proj.weight.abs().max() <= bound
    dt = torch.nn.functional.softplus(layer.dt_proj.bias.detach())
    assert dt.min() >= 0.001 * (1 - 1e-4)
    assert dt.max() <= 0.1 * (1 + 1e-4)
    # Log-uniform on two decades: standard error of the mean of 640 draws 1/sqrt(3 * 640).
    assert dt.log10().mean().item() == pytest.approx(-2.0, abs=4 / (3 * 640) ** 0.5)
    slow = torch.nn.functional.softplus(S6(8, dt_min=1e-9, dt_max=1e-9).dt_proj.bias.detach())
    torch.testing.assert_close(slow, torch.full((8,), 1e-9), rtol=1e-5, atol=0)


def test_parameters_are_counted():
    d, rank, n = 64, 4, 16
    expected = d * (rank + 2 * n) + (rank * d + d) + d * n + d
    assert sum(p.numel() for p in S6(d).parameters()) == expected
    assert sum(p.numel() for p in S6(d, skip=False).parameters()) == expected - d
    assert sum(p.numel() for p in S6(d).dynamics_parameters()) == d * n + rank * d + d


def test_options_outside_their_domain():
    with pytest.raises(ConfigError, match="discretization is unknown, got 'bilinear', expected"):
        S6(4, discretization="bilinear")
    with pytest.raises(ConfigError, match="n_state is a whole number, got True"):
        S6(4, n_state=True)
    with pytest.raises(ConfigError, match="0 < dt_min <= dt_max"):
        S6(4, dt_min=-1.0)

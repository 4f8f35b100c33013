import itertools
import math

import numpy as np
import pytest
import torch

from timegrain.core.errors import ConfigError
from timegrain.models import LRU, build_layer


def signal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def published(layer, x):
    """The recurrence as its paper writes it, in numpy."""
    values = {name: p.detach().numpy() for name, p in layer.named_parameters()}
    poles = np.exp(-np.exp(values["nu_log"]) + 1j * np.exp(values["theta_log"]))
    B, C = (values[name][..., 0] + 1j * values[name][..., 1] for name in "BC")
    state, y = np.zeros((len(x), len(poles)), complex), []
    for k in range(x.shape[1]):
        state = poles * state + np.exp(values["gamma_log"]) * (x[:, k] @ B.T)
        y.append((state @ C.T).real + values["D"] * x[:, k])
    return np.stack(y, 1)


def test_at_the_trained_step_it_is_the_published_recurrence():
    layer = build_layer("lru", d_model=3, n_state=16, seed=0).double()
    x = signal(2, 200, 3)
    wanted = published(layer, x.numpy())
    assert np.abs(layer(x).detach().numpy() - wanted).max() < 1e-12 * np.abs(wanted).max()


@pytest.mark.parametrize("factor", [2, 5])
def test_steps_of_a_held_input_compose(factor):
    """Of an input that stays for `factor` short steps, the last output is that of one long step.

    The phase goes over `pi` in some modes, where the sign of the smallest angle matters.
    """
    layer = build_layer("lru", d_model=3, n_state=64, seed=0).double()
    assert (layer.theta_log.exp() > math.pi).any()
    x = signal(2, 40, 3)
    fine = layer(x.repeat_interleave(factor, 1), 1 / factor)[:, factor - 1 :: factor]
    torch.testing.assert_close(fine, layer(x), rtol=0, atol=1e-11)


def test_varying_steps_compose_as_well():
    layer = build_layer("lru", d_model=2, n_state=8, seed=1).double()
    x, taus = signal(1, 6, 2), torch.tensor([[1.0, 0.25, 0.75, 2.0, 0.5, 0.5]]).double()
    held = torch.stack([x[:, 0], x[:, 1], x[:, 1], x[:, 3], x[:, 4], x[:, 4]], 1)
    merged = torch.stack([x[:, 0], x[:, 1], x[:, 3], x[:, 4]], 1)
    whole = torch.tensor([[1.0, 1.0, 2.0, 1.0]]).double()
    ends = layer(held, taus)[:, [0, 2, 3, 5]]
    torch.testing.assert_close(ends, layer(merged, whole), rtol=0, atol=1e-12)


def test_gamma_computed_from_the_step_would_diverge():
    """The published normaliser, of `lambda^s`, makes outputs grow as `tau^-1/2`; ours converge."""
    layer = build_layer("lru", d_model=1, n_state=32, r_min=0.9, r_max=0.99, max_phase=0.5, seed=0)
    layer = layer.double()
    naive, ours = [], []
    for level in (4, 6, 8):
        tau = 2.0**-level
        x = torch.sin(torch.arange(64 * 2**level) * tau * 0.3).double()[None, :, None]
        with torch.no_grad():
            poles = layer.log_modes * tau
            norm = (-torch.expm1(2 * poles.real)).sqrt()
            drive = norm * (x.to(torch.complex128) * torch.view_as_complex(layer.B)[:, 0])
            state = torch.zeros(1, 32, dtype=torch.complex128)
            for k in range(x.shape[1]):
                state = poles.exp() * state + drive[:, k]
            naive.append((state @ torch.view_as_complex(layer.C).T).real.item())
            ours.append((layer(x, tau)[:, -1] - layer.D * x[:, -1]).item())
    for less, more in itertools.pairwise(naive):
        assert 1.8 < more / less < 2.2  # twice for a grid four times as fine
    assert abs(ours[2] - ours[1]) < 0.3 * abs(ours[1] - ours[0])


def test_poles_begin_on_the_ring():
    layer = LRU(2, n_state=4096, r_min=0.5, r_max=0.9, max_phase=1.0)
    modulus, phase = layer.modes.abs(), layer.theta_log.exp()
    assert modulus.min() >= 0.5 and modulus.max() <= 0.9 and phase.max() <= 1.0
    # uniform by area: the median of |lambda|^2 is the middle, to 4 standard errors of 4,096 draws
    assert abs(modulus.square().median() - (0.25 + 0.81) / 2) < 4 * 0.56 / (2 * 4096**0.5)
    torch.testing.assert_close(layer.gamma_log.exp(), (1 - modulus.square()).sqrt())


@pytest.mark.parametrize(
    "options",
    [{"r_min": 0.9, "r_max": 0.5}, {"r_max": 1.5}, {"max_phase": 7.0}],
)
def test_what_is_no_ring_is_refused(options):
    with pytest.raises(ConfigError, match="LRU begin"):
        LRU(2, **options)

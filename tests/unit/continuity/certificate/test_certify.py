"""Certificates where they are attained, nearly attained, or refused."""

import numpy as np
import pytest
import torch

from certificates import double, error
from timegrain import certify
from timegrain.core.errors import ConfigError, DataError, GridError, LayoutError, ModelError
from timegrain.core.grid import TimeGrid
from timegrain.core.result import read_result
from timegrain.core.signal import Signal
from timegrain.models import build_layer


def one_mode(**options):
    """`x' = .2 (u - x)`, `y = x`: K(r) = .2 exp(-.2 r), whose integral is 1."""
    layer = double(build_layer("s4d", d_model=1, n_pairs=1, init="real", seed=0, **options))
    with torch.no_grad():
        layer.log_dt.fill_(np.log(0.2))
        layer.log_decay.fill_(0.0)
        layer.C.fill_(0.5)
    return layer


def outputs(layer, u, tau=1.0, length=64):
    times = tau * np.arange(int((length - 1) / tau) + 1)
    with torch.no_grad():
        return layer(torch.from_numpy(u(times)[None, :, None]), tau)[0, :, 0].numpy(), times


def test_a_constant_attains_the_part_of_the_jump():
    layer = one_mode()
    y, t = outputs(layer, np.ones_like)
    measured = np.abs(y - (1 - np.exp(-0.2 * t))).max()
    found = certify(layer, np.ones_like, slope=0.0)
    assert measured == pytest.approx(1 - np.exp(-0.2), rel=1e-12)
    assert found.bound(1.0) == pytest.approx(measured, rel=1e-12)


def test_a_ramp_comes_within_two_of_held_input():
    layer = one_mode()
    y, t = outputs(layer, lambda t: t)
    measured = np.abs(y - (t - (1 - np.exp(-0.2 * t)) / 0.2)).max()
    # held input is half a step early on average, and a whole one at most
    assert measured < certify(layer, lambda t: t, slope=1.0).bound(1.0) < 2.1 * measured


def test_a_parabola_comes_within_two_thirds_of_lines():
    layer = one_mode(discretization="foh")
    y, t = outputs(layer, lambda t: t * t / 2)
    exact = t * t / 2 - 5 * t + 25 * (1 - np.exp(-0.2 * t))
    measured = np.abs(y - exact).max()
    found = certify(layer, lambda t: t * t / 2, slope=63.0, curvature=1.0).bound(1.0)
    # lines miss by h^2/8 at most and by h^2/12 on average
    assert measured < found < 1.51 * measured


@pytest.mark.parametrize("rule", ["bilinear", "euler_b"])
def test_an_alternating_input_shows_the_rule(rule):
    layer, exact = one_mode(discretization=rule), one_mode()
    impulse = np.zeros((1, 64, 1))
    impulse[0, 0] = 1.0
    with torch.no_grad():
        gap = (layer(torch.from_numpy(impulse)) - exact(torch.from_numpy(impulse)))[0, :, 0]
    worst = torch.sign(gap).flip(0)[None, :, None]  # the input that the gap answers most
    with torch.no_grad():
        seen = float((layer(worst) - exact(worst)).abs().max())
    (row,) = certify(layer, worst[0, :, 0]).bounds
    assert row.rule == pytest.approx(seen, rel=1e-9)
    assert 0 < row.rule < row.bound


@pytest.mark.parametrize("rule", ["zoh", "euler_b"])
def test_a_constant_attains_the_certificate_of_s6(rule):
    layer = double(build_layer("s6", d_model=1, n_state=1, seed=3, discretization=rule))
    constant = Constant(0.7)
    found = certify(layer, constant, slope=0.0)
    assert found.bound(1.0) == pytest.approx(error(layer, constant, 1.0)[0], rel=1e-9)


def selective_of(channel):
    """An S6 of slow states whose `Delta` follows channel 1, and whose B is that channel's value."""
    layer = double(build_layer("s6", d_model=2, n_state=1, seed=0, discretization="zoh"))
    with torch.no_grad():
        layer.A_log.fill_(np.log(1e-4))
        layer.dt_proj.weight.fill_(1.0)
        layer.dt_proj.bias.fill_(3.0)  # softplus is nearly the identity there
        layer.x_proj.weight.zero_()
        layer.x_proj.weight[1, channel] = 1.0  # B
        layer.x_proj.weight[2, 0] = 1.0  # C is the constant of channel 0
    return layer


def ramp(t):
    return np.stack([np.ones_like(t), 0.1 * t], -1)


def test_a_rising_delta_costs_half_of_what_is_certified():
    layer = selective_of(0)
    with torch.no_grad():
        layer.x_proj.weight[0, 1] = 1.0
    y, truth, first = selective_ramp(layer, lambda p: 1e4 * -np.expm1(-1e-4 * p))
    found = certify(layer, ramp, slope=(0.0, 0.1)).bounds[0].bound
    measured = np.abs(y - truth).max()
    assert measured > 1.9 * first  # so the jump alone would not do
    # a rise of Delta within a step is there half the time on average
    assert measured <= found <= 2.2 * measured


def selective_ramp(layer, state_of):
    """Outputs of channel 0, the truth by its integral of Delta, and the state after one step."""
    from scipy.integrate import quad

    t = np.arange(64.0)
    with torch.no_grad():
        y = layer(torch.from_numpy(ramp(t)[None]))[0, :, 0].numpy()
    areas = [quad(lambda s: np.logaddexp(0, 3 + 0.1 * s), 0, end, epsabs=1e-12)[0] for end in t]
    return y, state_of(np.array(areas)), y[0]


def test_a_rising_drive_costs_half_of_what_is_certified():
    layer = selective_of(1)  # b = B u_0 = .1 t, Delta constant
    t = np.arange(64.0)
    with torch.no_grad():
        y = layer(torch.from_numpy(ramp(t)[None]))[0, :, 0].numpy()
    rate = 1e-4 * np.logaddexp(0, 3.0)
    truth = 1e3 * (t - -np.expm1(-rate * t) / rate)
    found = certify(layer, ramp, slope=(0.0, 0.1)).bounds[0].bound
    assert np.abs(y - truth).max() <= found <= 2.1 * np.abs(y - truth).max()


class Constant:
    def __init__(self, value):
        self.value = value

    def __call__(self, times):
        return np.full((1, len(times), 1), self.value)


def test_every_sequence_of_a_batch_and_every_channel_is_bounded():
    layer = double(build_layer("s5", d_model=2, n_state=4, n_blocks=1, seed=0))
    x = np.random.default_rng(0).standard_normal((3, 20, 2))
    together = certify(layer, x)
    alone = [certify(layer, one) for one in x]
    for c in range(2):
        assert together.bounds[c].bound >= max(a.bounds[c].bound for a in alone) * (1 - 1e-12)


def test_time_units_do_not_matter():
    layer = one_mode()
    seconds = certify(layer, lambda t: np.sin(50 * t), dt=0.001, slope=50.0, taus=(1, 2))
    samples = certify(layer, lambda t: np.sin(0.05 * t), slope=0.05, taus=(1, 2))
    assert [r.bound for r in seconds.bounds] == pytest.approx([r.bound for r in samples.bounds])
    grid = TimeGrid(dt=0.001, n=64, unit="s")
    wave = Signal.sample(lambda t: np.sin(50 * t)[None, :, None], grid, name="wave")
    again = certify(layer, wave, slope=50.0, taus=(1, 2))
    assert (again.bounds, again.unit, again.name) == (seconds.bounds, "s", "S4D on wave")


def test_a_result_tells_and_reads_back():
    found = certify(one_mode(), np.sin, length=20)
    assert found.outcome.name == "CONDITIONAL"
    assert any("declare slope=" in note for note in found.notes)
    assert read_result(found.to_json()) == found
    assert found.relative(1.0) == found.bound(1.0) / found.bounds[0].size
    silent = certify(one_mode(), np.zeros(20))
    assert silent.bound(1.0) == 0.0
    assert silent.relative(1.0) is None


@pytest.mark.parametrize(
    ("changed", "error", "text"),
    [
        ({"slope": 0.5}, DataError, "declared slope"),
        ({"slope": 1.0, "curvature": 0.9}, DataError, "declared curvature"),
        ({"slope": -1.0}, ConfigError, "slope is a bound"),
        ({"slope": [1.0, 1.0]}, ConfigError, "bounds every channel"),
        ({"curvature": 1.0}, ConfigError, "goes with a slope"),
        ({"taus": ()}, ConfigError, "ratios of steps"),
        ({"taus": (100.0,)}, GridError, "two samples"),
        ({"signal": np.zeros((9, 3))}, LayoutError, "other channels"),
        ({"signal": np.array([0.0, np.nan, 1.0])}, DataError, "gaps"),
        ({"signal": np.zeros(9), "slope": 1.0, "taus": (0.5,)}, ConfigError, "not known"),
        ({"layer": build_layer("gru", d_model=1)}, ModelError, "no theorem"),
        ({"layer": build_layer("s4", d_model=1)}, ModelError, "no theorem"),
        ({"layer": build_layer("s6", d_model=1, norm_eps=1e-6)}, ModelError, "S6 with norm_eps"),
        ({"layer": np.tanh}, ModelError, "no theorem"),
    ],
)
def test_what_cannot_be_certified_is_refused(changed, error, text):
    asked = {"layer": one_mode(), "signal": np.sin, **changed}
    with pytest.raises(error, match=text):
        certify(asked.pop("layer"), asked.pop("signal"), **asked)

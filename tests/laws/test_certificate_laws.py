"""What is certified is never below what is measured, whatever the system and the signal."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from certificates import Sines, double, error, ratio
from timegrain import certify
from timegrain.models import build_layer

# Both sides are computed in float64 with numbers of order 1 to 100: 1e-11 is their rounding.
ROUNDING = 1e-11
SEEDS = st.integers(0, 2**31)
TAUS = st.sampled_from([0.125, 0.5, 0.7, 1.0, 2.0, 3.5])


def random_layer(name, seed, **options):
    """A small layer with poles from slow to stiff, and a signal of any frequency and size."""
    rng = np.random.default_rng(seed)
    width = 2
    sizes = {"n_pairs": 3} if name == "s4d" else {"n_state": 6, "n_blocks": 1}
    layer = double(build_layer(name, d_model=width, seed=seed % 1000, **sizes, **options))
    with torch.no_grad():
        for parameter, spread in ((layer.log_dt, 1.5), (layer.log_decay, 1.5)):
            parameter += spread * torch.from_numpy(rng.standard_normal(parameter.shape))
        if layer.frequency is not None:
            layer.frequency *= float(rng.uniform(0, 3))
    signal = Sines.draw(
        rng, width, amplitude=10 ** rng.uniform(-2, 2), duration=20 * 10 ** rng.uniform(-1, 1)
    )
    return layer, signal


def declared(layer, signal, tau, length=20):
    found = certify(
        layer,
        signal,
        length=length,
        taus=(tau,),
        slope=signal.slope,
        curvature=signal.curvature,
    )
    assert found.outcome.name == "CERTIFIED"
    return np.array([row.bound for row in found.bounds])


@given(SEEDS, TAUS, st.sampled_from(["lin", "inv", "real"]))
@settings(max_examples=40, deadline=None)
def test_held_s4d(seed, tau, init):
    layer, signal = random_layer("s4d", seed, init=init)
    bound, measured = declared(layer, signal, tau), error(layer, signal, tau, length=20)
    assert (measured <= bound + ROUNDING * (1 + bound)).all()


@given(SEEDS, TAUS)
@settings(max_examples=25, deadline=None)
def test_held_s5(seed, tau):
    layer, signal = random_layer("s5", seed)
    bound, measured = declared(layer, signal, tau), error(layer, signal, tau, length=20)
    assert (measured <= bound + ROUNDING * (1 + bound)).all()


@given(SEEDS, TAUS)
@settings(max_examples=20, deadline=None)
def test_estimated_moduli_of_smooth_signals(seed, tau):
    layer, signal = random_layer("s4d", seed)
    found = certify(layer, signal, length=20, taus=(tau,))
    assert found.outcome.name == "CONDITIONAL"
    measured = error(layer, signal, tau, length=20)
    assert (measured <= [row.bound + ROUNDING * (1 + row.bound) for row in found.bounds]).all()


@given(SEEDS, TAUS, st.sampled_from(["foh", "bilinear", "euler_b", "trapezoidal"]))
@settings(max_examples=60, deadline=None)
def test_other_rules(seed, tau, rule):
    layer, signal = random_layer("s4d", seed, discretization=rule)
    bound, measured = declared(layer, signal, tau), error(layer, signal, tau, length=20)
    assert (measured <= bound + ROUNDING * (1 + bound)).all()


@given(SEEDS, TAUS, st.sampled_from(["zoh", "euler_b"]), st.booleans())
@settings(max_examples=25, deadline=None)
def test_selective(seed, tau, rule, known):
    rng = np.random.default_rng(seed)
    layer = build_layer("s6", d_model=2, n_state=3, seed=seed % 1000, discretization=rule)
    layer = double(layer)
    with torch.no_grad():
        layer.A_log += 0.7 * torch.from_numpy(rng.standard_normal(layer.A_log.shape))
        layer.dt_proj.bias += float(rng.uniform(-1, 3))
    amplitude = 10 ** rng.uniform(-1.5, 0.7)
    signal = Sines.draw(rng, 2, amplitude=amplitude, duration=20 * 10 ** rng.uniform(-0.5, 1))
    found = certify(layer, signal, length=20, taus=(tau,), slope=signal.slope if known else None)
    measured = error(layer, signal, tau, length=20)
    bound = np.array([row.bound for row in found.bounds])
    # integrated to 1e-11 of states that are at most of the order of the bound's own sizes
    assert (measured <= bound + 1e-9 * (1 + bound)).all()
    assert np.isfinite(bound).all()


@given(SEEDS, st.sampled_from([0.25, 1.0, 2.0, 3.0]), st.sampled_from(["zoh", "foh"]))
@settings(max_examples=40, deadline=None)
def test_polylines(seed, tau, rule):
    """Lines between samples: first-order hold at their own step is the solution."""
    held, _ = random_layer("s4d", seed, discretization=rule)
    exact, _ = random_layer("s4d", seed, discretization="foh")
    x = np.random.default_rng(seed).standard_normal((2, 25, 2))
    found = certify(held, x, taus=(tau,))
    finest = min(tau, 1.0)
    times = np.arange(0, 24 + 1e-9, finest)
    fine = np.stack([[np.interp(times, np.arange(25), c) for c in s.T] for s in x])
    fine = fine.transpose(0, 2, 1)
    stride = round(tau / finest)
    with torch.no_grad():
        truth = exact(torch.from_numpy(fine), finest)[:, ::stride]
        outputs = held(torch.from_numpy(fine[:, ::stride].copy()), tau)
    measured = (outputs - truth).abs().amax((0, 1)).numpy()
    bound = np.array([row.bound for row in found.bounds])
    assert (measured <= bound + ROUNDING * (1 + bound)).all()
    assert rule == "foh" or (measured > 0).all()


@pytest.mark.parametrize(
    ("kind", "most"), [("zoh", 50), ("foh", 50), ("bilinear", 50), ("s5", 50), ("s6", 1000)]
)
def test_certificates_are_tight(kind, most):
    found = [ratio(kind, seed) for seed in range(4 if kind == "s6" else 12)]
    assert min(found) >= 1
    assert np.median(found) <= most

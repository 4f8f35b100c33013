"""Identities that hold for any ladder, signal or grid."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from timegrain.continuity.model.amplitude import amplitude_slope
from timegrain.continuity.model.convergence import converge
from timegrain.continuity.model.measure import model_continuity
from timegrain.continuity.model.memory import memory_time
from timegrain.core import Signal, TimeGrid
from timegrain.resample import coarse_lengths, coarsen, refine
from timegrain.stats.gci import grid_convergence_index
from timegrain.stats.norms import time_norm
from timegrain.stats.orders import observed_orders, refinement_constant, richardson_limit

EPS = np.finfo(float).eps
orders = st.floats(0.5, 4.0)
constants = st.floats(1e-3, 1e3)


@given(orders, constants)
def test_a_power_law_shows_its_order_and_its_constant(p, c):
    taus = 2.0 ** -np.arange(7)
    d = c * taus[:-1] ** p * (1 - 2.0**-p)
    # A logarithm of a ratio of numbers a few roundings off.
    np.testing.assert_allclose(observed_orders(d), p, atol=16 * EPS)
    np.testing.assert_allclose(
        [refinement_constant(x, t, p) for x, t in zip(d, taus, strict=False)], c, rtol=32 * EPS
    )


@given(orders, constants, st.floats(-10, 10))
def test_extrapolation_of_a_power_law_is_exact_and_the_index_bounds_its_error(p, c, limit):
    fine, coarse = limit + c * 0.25**p, limit + c * 0.5**p
    found = richardson_limit(np.array(fine), np.array(coarse), p)
    room = 8 * EPS * (abs(limit) + c) / (2**p - 1)
    assert abs(found - limit) <= room
    index = grid_convergence_index(coarse - fine, p, asymptotic_levels=3)
    assert index >= c * 0.25**p - room


@given(st.integers(0, 10**6), st.floats(0.01, 100.0), st.sampled_from(["sup", "rms"]))
def test_a_ladder_does_not_depend_on_the_unit_of_its_output(seed, unit, norm):
    outputs = np.random.default_rng(seed).standard_normal((5, 7, 2))
    one = converge(outputs, norm=norm, declared=1, eps=EPS)
    other = converge(unit * outputs, norm=norm, declared=1, eps=EPS)
    np.testing.assert_allclose(one.differences, other.differences, rtol=1e-12)
    np.testing.assert_allclose(one.cosines, other.cosines, rtol=1e-9, atol=1e-12)


@given(st.floats(0.1, 100.0), st.floats(1e-3, 1e3))
def test_memory_scales_with_time_and_not_with_height(stretch, height):
    t = np.linspace(0.0, 10.0, 201)
    response = np.exp(-t)[:, None] * np.array([1.0, 2.0])
    base = memory_time(response, t, after=2.0)
    scaled = memory_time(height * response, stretch * t, after=2.0 * stretch)
    np.testing.assert_allclose(scaled, stretch * base, rtol=1e-9)


@given(st.floats(-2, 2), constants, st.lists(st.floats(0.01, 100), min_size=2, max_size=6))
def test_a_power_of_the_amplitude_is_recovered(slope, c, amplitudes):
    a = np.unique(np.round(amplitudes, 2))
    if a.size < 2:
        return
    np.testing.assert_allclose(amplitude_slope(a, c * a**slope), slope, atol=1e-6)


@settings(deadline=None)  # the first spline imports scipy
@given(
    st.integers(2, 20),
    st.integers(1, 6),
    st.integers(0, 10**6),
    st.sampled_from(["linear", "cubic"]),
)
def test_coarsening_undoes_refining(n, factor, seed, interpolant):
    values = np.random.default_rng(seed).standard_normal((2, n, 3))
    signal = Signal(values=values, grid=TimeGrid(dt=0.3, n=n))
    back = coarsen(refine(signal, factor, interpolant=interpolant), factor)
    np.testing.assert_array_equal(back.values, values)
    np.testing.assert_allclose(back.grid.times, signal.grid.times, rtol=1e-12)


@given(st.integers(1, 50), st.integers(1, 9), st.integers(1, 9))
def test_coarsening_twice_is_coarsening_once(n, first, second):
    signal = Signal(values=np.arange(float(n)).reshape(1, n, 1), grid=TimeGrid(dt=1.0, n=n))
    twice = coarsen(coarsen(signal, first), second)
    np.testing.assert_array_equal(twice.values, coarsen(signal, first * second).values)
    lengths = np.array([n])
    np.testing.assert_array_equal(
        coarse_lengths(coarse_lengths(lengths, first), second),
        coarse_lengths(lengths, first * second),
    )


@given(st.integers(0, 10**6), st.floats(-200, 200), st.sampled_from(["sup", "rms"]))
def test_norms_are_norms_of_any_size(seed, exponent, norm):
    factor = -(10.0**exponent)
    a, b = np.random.default_rng(seed).standard_normal((2, 6, 3))
    size = time_norm(a, norm=norm)
    np.testing.assert_allclose(time_norm(factor * a, norm=norm), abs(factor) * size, rtol=1e-12)
    assert time_norm(a + b, norm=norm) <= (size + time_norm(b, norm=norm)) * (1 + 1e-12)
    assert time_norm(a, norm="rms") <= time_norm(a, norm="sup") * (1 + 1e-12)


@settings(max_examples=10, deadline=None)
@given(st.floats(0.05, 20.0), st.floats(0.05, 1.0), st.floats(0.01, 100.0))
def test_a_linear_model_has_errors_that_depend_on_no_amplitude_and_no_unit_of_time(a, rate, dt):
    def leaky(x, tau=1.0):
        y, kept = np.zeros_like(x), np.exp(-rate * tau)
        for k in range(1, x.shape[1]):
            y[:, k] = kept * y[:, k - 1] + (1 - kept) * x[:, k - 1]
        return y

    plain = model_continuity(leaky, length=16, levels=3, seeds=1)
    other = model_continuity(leaky, length=16, levels=3, seeds=1, amplitudes=(a,), dt=dt)
    for one, two in zip(plain.errors, other.errors, strict=True):
        np.testing.assert_allclose(one.error, two.error, rtol=1e-9)
    for one, two in zip(plain.memory, other.memory, strict=True):
        np.testing.assert_allclose(dt * one.memory, two.memory, rtol=1e-9)

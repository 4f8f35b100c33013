"""Systems are exact functions of time: independent solvers, closed forms, and any grid."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from timegrain.core.errors import ConfigError, DataError
from timegrain.data import load_dataset
from timegrain.data.generated import case_streams
from timegrain.data.systems.chaotic import lorenz96_field, roessler_field
from timegrain.data.systems.convection import lorenz_field
from timegrain.data.systems.coupled import kuramoto_field
from timegrain.data.systems.generators import SYSTEMS
from timegrain.data.systems.integrate import integrate
from timegrain.data.systems.oscillator import van_der_pol_field
from timegrain.data.systems.oscillators import DAMPED, damped_path, duffing_field
from timegrain.data.systems.pendulum import DOUBLE_PENDULUM, double_pendulum_field
from timegrain.data.systems.times import exact_time, sample_times


def of_time(field):
    return lambda t, state: field(state)


FIELDS = {
    "vdp": lambda mu: of_time(van_der_pol_field(mu, np.ones_like(mu))),
    "duffing": duffing_field,
    "lorenz": lambda *p: of_time(lorenz_field(*p)),
    "roessler": roessler_field,
    "kuramoto": kuramoto_field,
    "double-pendulum": double_pendulum_field,
    "lorenz96": lorenz96_field,
}
# time over which neighbouring solutions part by no more than a factor of 100
SHORT = {"lorenz": 1, "roessler": 4, "lorenz96": 2, "double-pendulum": 2}
BY_NAME = {system.name: system for system in SYSTEMS}
THREE = np.arange(3)


def path(system, times, index=THREE, seed=0):
    (found,) = system.run(index, seed=seed, name="test", times=times)
    return found[1], found[2]


@pytest.mark.parametrize("name", FIELDS)
def test_the_solution_is_that_of_an_independent_solver(name):
    system = BY_NAME[name]
    times = sample_times(0.16, 1 + round(SHORT.get(name, 10.24) / 0.16))
    parameters, states = path(system, times, np.arange(3 if name in SHORT else 40))
    start = states[0]
    field = FIELDS[name](*parameters)
    if name in SHORT:
        # an error grows a hundredfold: on the mesh of the tasks it starts too large for 1e-7
        states = integrate(field, start, times=times, step=Fraction(1, 1600))
    known = solve_ivp(
        lambda t, x: field(t, x.reshape(start.shape)).ravel(),
        (0, float(times[-1])),
        start.ravel(),
        method="DOP853",
        rtol=1e-12,
        atol=1e-12,
        t_eval=[float(t) for t in times],
    )
    np.testing.assert_allclose(states.reshape(len(times), -1).T, known.y, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("name", FIELDS)
def test_halving_the_step_divides_the_error_by_sixteen(name):
    system = BY_NAME[name]
    parameters, states = path(system, sample_times(1.0, 1))
    field = FIELDS[name](*parameters)

    def end(n):
        return integrate(field, states[0], times=(Fraction(1, 2),), step=Fraction(1, n))[-1]

    fine = end(2048)
    errors = [np.abs(end(n) - fine).max() for n in (64, 128, 256)]
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    # the next term of the error is h times a rate of up to 25, and h = 1/256 at the end
    assert orders[-1] == pytest.approx(4, abs=0.2)


def test_a_damped_oscillator_is_the_exponential_of_its_matrix():
    times = sample_times(0.37, 40)
    (omega, zeta), states = path(DAMPED, times)
    for i, (w, z) in enumerate(zip(omega, zeta, strict=True)):
        matrix = np.array([[0.0, 1.0], [-w * w, -2 * z * w]])
        known = [expm(float(t) * matrix) @ states[0, :, i] for t in times]
        np.testing.assert_allclose(states[:, :, i], known, rtol=0, atol=1e-12)


def test_a_damped_oscillator_loses_what_damping_takes():
    t = np.linspace(0, 5, 2001)
    omega, zeta = np.array([1.7]), np.array([0.1])
    x, v = damped_path(omega, zeta, np.array([[0.3], [1.1]]), t)[:, :, 0].T
    energy = v * v + (omega * x) ** 2
    power = -4 * zeta * omega * v * v
    lost = np.trapezoid(power, t)
    # the trapezoidal rule: h^2 T / 12 of a second derivative below 30
    assert energy[-1] - energy[0] == pytest.approx(lost, abs=1e-4)


def test_a_double_pendulum_keeps_its_energy():
    (mass, length), states = path(DOUBLE_PENDULUM, sample_times(0.04, 257), np.arange(20))
    p, q, u, w = np.moveaxis(states, 1, 0)
    kinetic = u * u / 2 + mass / 2 * (
        u * u + (length * w) ** 2 + 2 * length * u * w * np.cos(p - q)
    )
    potential = -9.81 * ((1 + mass) * np.cos(p) + mass * length * np.cos(q))
    energy = kinetic + potential
    scale = kinetic.max(axis=0)
    lost = np.abs(energy - energy[0]).max(axis=0) / scale
    # angles turn at rates up to 17, in the median 10; each of 2,048 steps is off by
    # (rate / 200)^5 / 120 of what moves
    assert lost.max() < 2048 * (17 / 200) ** 5 / 120
    assert np.median(lost) < 2048 * (10 / 200) ** 5 / 120


def test_phases_pull_at_each_other_in_pairs():
    random = np.random.default_rng(0)
    state, coupling = random.standard_normal((10, 4)), random.uniform(0, 3, 4)
    p, w = state[:5], state[5:]
    pulled = np.array([np.sin(p - p[i]).sum(axis=0) for i in range(5)])
    found = kuramoto_field(coupling)(0.0, state)
    np.testing.assert_allclose(found[:5], w + coupling / 5 * pulled, atol=1e-14)
    assert not found[5:].any()


def test_fields_vanish_where_systems_rest():
    forcing = np.array([6.0])
    assert not lorenz96_field(forcing)(0.0, np.full((8, 1), 6.0)).any()
    a, c = np.array([0.2]), np.array([5.7])
    z = (c - np.sqrt(c * c - 4 * a * 0.2)) / (2 * a)
    assert np.abs(roessler_field(a, c)(0.0, np.stack([a * z, -z, z]))).max() < 1e-14


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.name)
def test_every_grid_shows_the_same_function(system):
    coarse = path(system, sample_times(0.04, 4))[1]
    fine = [0.04, 0.01, 0.005, 0.00125]
    if system.name != "ou":
        fine += [0.04 / 3, 0.008]
    for dt in fine:
        k = round(0.04 / dt)
        found = path(system, sample_times(dt, 3 * k + 1))[1]
        np.testing.assert_array_equal(found[::k], coarse)


@pytest.mark.parametrize("name", FIELDS)
def test_instants_between_those_of_the_mesh_lie_on_the_curve(name):
    states = path(BY_NAME[name], sample_times(0.0003, 40))[1]
    # a jump where one step of the mesh ends and the next begins would show in third differences:
    # of a smooth curve they are h^3 = 3e-11 times a third derivative of 1e5 at most
    assert np.abs(np.diff(states, 3, axis=0)).max() < 3e-6


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.name)
def test_a_longer_look_begins_with_the_shorter_one(system):
    short, long = (path(system, sample_times(0.01, n))[1] for n in (5, 9))
    np.testing.assert_array_equal(short, long[:5])


def test_one_instant_is_one_fraction():
    assert exact_time(0.1) * 3 == exact_time(0.3)
    assert sample_times(1 / 300, 4)[3] == sample_times(0.01, 2)[1]


@pytest.mark.parametrize("dt", [0.0, -1.0, np.nan, np.inf])
def test_no_such_grid(dt):
    with pytest.raises(ConfigError):
        sample_times(dt, 3)


@pytest.mark.parametrize(
    ("times", "step"),
    [((Fraction(1), Fraction(0)), Fraction(1)), ((Fraction(-1),), Fraction(1)), ((), Fraction(0))],
)
def test_no_such_instants(times, step):
    with pytest.raises(ConfigError, match="instants"):
        integrate(lambda t, x: x, np.ones((1, 1)), times=times, step=step)


def test_no_solution_takes_hours():
    with pytest.raises(ConfigError, match=r"204,600,000 steps, expected 100,000,000 steps"):
        load_dataset("vdp-inference", length=1 << 10, dt=1000.0, n_train=1, n_test=1)
    with pytest.raises(DataError, match="a random path so long does not fit into memory"):
        load_dataset("ou-inference", length=1 << 20, dt=1000.0, n_train=1, n_test=1)


def test_a_system_draws_a_case_by_its_number_alone():
    for system in SYSTEMS:
        together = path(system, sample_times(0.01, 4), np.array([5, 0, 9]))
        alone = path(system, sample_times(0.01, 4), np.array([9]))
        np.testing.assert_array_equal(together[0][:, 2:], alone[0])
        np.testing.assert_array_equal(together[1][:, :, 2:], alone[1])
        first = next(case_streams(0, "test", np.array([9]))).uniform(
            system.parameters[0].low, system.parameters[0].high
        )
        assert alone[0][0, 0] == first

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from timegrain.core.errors import ConfigError
from timegrain.data import load_dataset
from timegrain.data.systems import (
    lorenz,
    lorenz_field,
    parameter_regression,
    runge_kutta,
    van_der_pol,
    van_der_pol_field,
)
from timegrain.data.systems.convection import BETA, RHO, SIGMA
from timegrain.data.systems.oscillator import MU, OMEGA, SUBSTEPS

LORENZ = lorenz_field(np.array([10.0, 8.0]), np.array([28.0, 45.0]), np.array([8 / 3, 2.5]))
VAN_DER_POL = van_der_pol_field(np.array([1.0, 3.0]), np.array([2.0, 4.0]))
FIELDS = {
    "lorenz": (LORENZ, np.array([[1.0, -3.0], [2.0, 0.5], [20.0, 25.0]])),
    "van-der-pol": (VAN_DER_POL, np.array([[1.0, 2.0], [0.5, -1.0]])),
}


@pytest.mark.parametrize("name", FIELDS)
def test_halving_the_step_divides_the_error_by_sixteen(name):
    field, start = FIELDS[name]

    def end(substeps):
        return runge_kutta(field, start, dt=0.32, n_samples=2, substeps=substeps)[-1]

    fine = end(2048)
    errors = [np.abs(end(n) - fine).max() for n in (16, 32, 64, 128)]
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    # the next term of the error, of order 5, is h times a number below 10, and h <= .01 at the end
    assert orders[-1] == pytest.approx(4, abs=0.1)


@pytest.mark.parametrize("name", FIELDS)
def test_the_solution_is_that_of_an_independent_solver(name):
    field, start = FIELDS[name]
    path = runge_kutta(field, start, dt=0.02, n_samples=26, substeps=64)
    known = solve_ivp(
        lambda _, x: field(x.reshape(start.shape)).ravel(),
        (0, 0.5),
        start.ravel(),
        method="DOP853",
        rtol=1e-12,
        atol=1e-12,
        t_eval=0.02 * np.arange(26),
    )
    found = path.reshape(26, -1).T
    # half a time unit: neighbouring solutions part by less than a factor of 100
    np.testing.assert_allclose(found, known.y, atol=1e-8)


def test_lorenz_rests_in_its_fixed_points():
    sigma, rho, beta = np.array([10.0]), np.array([28.0]), np.array([8 / 3])
    c = np.sqrt(beta * (rho - 1))
    assert np.abs(lorenz_field(sigma, rho, beta)(np.stack([c, c, rho - 1]))).max() < 1e-12


def test_a_weak_oscillator_has_the_amplitude_and_frequency_of_theory():
    # for small mu: amplitude 2, period 2 pi (1 + mu^2 / 16) / omega
    mu, omega = np.array([0.1]), np.array([3.0])
    field = van_der_pol_field(mu, omega)
    path = runge_kutta(field, np.array([[2.0], [0.0]]), dt=0.001, n_samples=30_000)[:, 0, 0]
    late = path[-10_000:]
    assert late.max() == pytest.approx(2, abs=0.01)
    up = np.flatnonzero((late[:-1] < 0) & (late[1:] >= 0))
    period = 0.001 * np.diff(up).mean()
    # crossings lie within a sample of the truth, of which there are three periods and more
    assert period == pytest.approx(2 * np.pi / 3 * (1 + 0.1**2 / 16), abs=0.001)


@pytest.mark.parametrize(
    ("name", "ranges"), [("lorenz", (SIGMA, RHO, BETA)), ("van-der-pol", (MU, OMEGA))]
)
def test_labels_are_uniform_and_series_standardised(name, ranges):
    data = load_dataset(name)
    assert data.labels.shape == (2500, len(ranges))
    for column, (low, high) in zip(data.labels.T, ranges, strict=True):
        assert low <= column.min() and column.max() <= high
        ranks = np.sort((column - low) / (high - low))
        # Kolmogorov's bound at a probability of 1e-6: sqrt(log(2e6) / 2n)
        assert np.abs(ranks - (np.arange(2500) + 0.5) / 2500).max() < np.sqrt(np.log(2e6) / 5000)
    pairs = np.corrcoef(data.labels.T)[np.triu_indices(len(ranges), 1)]
    assert np.abs(pairs).max() < 0.1  # five of 1 / sqrt(2500)
    x = data.stacked()[0][:, :, 0]
    # 0 and 1, and noise of deviation .05: 5 of its .05 / sqrt(512), and 2 (.05) more by chance
    assert np.abs(x.mean(axis=1)).max() < 0.012
    assert np.abs(x.std(axis=1) - 1).max() < 0.013
    assert not np.isnan(x).any()


def test_noise_has_its_size_and_touches_nothing_else():
    clean, noisy = lorenz(20, length=400, noise=0.0), lorenz(20, length=400, noise=0.05)
    np.testing.assert_array_equal(clean.labels, noisy.labels)
    noise = noisy.stacked()[0] - clean.stacked()[0]
    # a deviation of 8,000 draws: 1 / sqrt(16,000) = .8 %; five of them
    assert noise.std() == pytest.approx(0.05, rel=0.04)


def test_steps_are_fine_enough_for_the_noise():
    parameters = np.stack(np.meshgrid(MU, OMEGA), axis=-1).reshape(-1, 2)
    start = np.resize([2.0, -2.0, 2.0], (2, 4))

    def series(substeps):
        return parameter_regression(
            "corners",
            van_der_pol_field(*parameters.T),
            start,
            parameters,
            random=np.random.default_rng(0),
            noise=0.0,
            substeps=substeps,
        ).stacked()[0]

    # a tenth of the noise would not be seen in it
    assert np.abs(series(SUBSTEPS) - series(8 * SUBSTEPS)).max() < 0.005


@pytest.mark.parametrize("make", [lorenz, van_der_pol])
def test_a_seed_gives_the_same_numbers_and_another_other_ones(make):
    first, again, other = make(4, length=60), make(4, length=60), make(4, length=60, seed=1)
    assert all((a == b).all() for a, b in zip(first.sequences, again.sequences, strict=True))
    assert (first.labels == again.labels).all()
    assert (first.labels != other.labels).all()


@pytest.mark.parametrize(
    "make",
    [
        lambda: runge_kutta(lambda x: x, np.ones(1), dt=0.0, n_samples=2),
        lambda: runge_kutta(lambda x: x, np.ones(1), dt=0.1, n_samples=0),
        lambda: runge_kutta(lambda x: x, np.ones(1), dt=0.1, n_samples=2, substeps=0),
        lambda: lorenz(4, length=60, noise=-1.0),
        lambda: van_der_pol(4, length=1),
    ],
)
def test_arguments_outside_their_domain(make):
    with pytest.raises(ConfigError):
        make()

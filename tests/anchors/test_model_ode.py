"""The ladder against differential equations that are solved in closed form."""

import numpy as np
import pytest

from timegrain.continuity.model.measure import model_continuity

OMEGA = 2 * np.pi * 2.3 / 64.0
RATE = 0.2


def wave(times):
    return np.sin(OMEGA * times)[:, None]


def solution(times):
    """y' = RATE (u - y), y(0) = 0, u = sin(OMEGA t)."""
    a, w = RATE, OMEGA
    steady = a * np.sin(w * times) - w * np.cos(w * times) + w * np.exp(-a * times)
    return a * steady / (a * a + w * w)


def held(x, tau=1.0):
    y, kept = np.zeros_like(x), np.exp(-RATE * tau)
    for k in range(1, x.shape[1]):
        y[:, k] = kept * y[:, k - 1] + (1 - kept) * x[:, k - 1]
    return y


def interpolated(x, tau=1.0):
    y, z = np.zeros_like(x), RATE * tau
    kept = np.exp(-z)
    late = 1 - (1 - kept) / z
    for k in range(1, x.shape[1]):
        y[:, k] = kept * y[:, k - 1] + (1 - kept - late) * x[:, k - 1] + late * x[:, k]
    return y


@pytest.mark.parametrize(("layer", "order"), [(held, 1), (interpolated, 2)])
def test_errors_are_those_against_the_exact_solution(layer, order):
    result = model_continuity(layer, signal=wave)
    assert result.order == pytest.approx(order, abs=0.02)
    t = np.arange(64.0)
    truth = solution(t)
    for row in result.errors:
        step = round(1 / row.tau)
        fine = wave(np.arange(63 * step + 1) / step)
        output = layer(fine[None], row.tau)[0, ::step, 0]
        exact = np.abs(output - truth).max() / np.abs(truth).max()
        # The limit is off by the next order's term at the finest step, tau^(order+1) of the
        # error's scale at tau = 1; the budget's `reference` is an upper bound for it.
        assert row.error == pytest.approx(exact, abs=result.error_budget.reference)
    assert result.errors[-1].error < result.gci


def test_memory_is_that_of_the_impulse_response():
    # After the bump the response decays as exp(-RATE t) to the end of the window, so that
    # m = r(tb)/max r * (1 - exp(-RATE (63 - 24))) / RATE, r from a fine solution of the same ODE.
    from timegrain.data.signals import bump

    fine = np.linspace(0.0, 63.0, 63 * 512 + 1)
    height = np.sqrt(0.5)  # any height gives the same ratio
    r = interpolated(height * bump(fine, start=16.0, stop=24.0)[None, :, None], 1 / 512)[0, :, 0]
    there = r[np.argmin(np.abs(fine - 24.0))] / r.max()
    expected = there * (1 - np.exp(-RATE * 39.0)) / RATE
    finest = model_continuity(held, signal=wave).memory[-1].memory
    # The held input is half a step of 1/64 late: relative RATE/128 = .16 % in the height at tb,
    # and the trapezoidal rule adds (RATE/64)^2/12.
    assert finest == pytest.approx(expected, rel=5e-3)

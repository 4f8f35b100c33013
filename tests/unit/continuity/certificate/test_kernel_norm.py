"""The bound of the integral of |K| against integrals known exactly or found to 1e-10."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

from timegrain.continuity.certificate.kernel_norm import absolute_integral


def exact(poles, weights, window):
    """Integrate |K| between its zeros, which a fine grid and Newton's rule locate."""

    def K(r):
        return float(2 * (weights * np.exp(poles * r)).sum().real)

    def area(a, b):
        return quad(K, a, b, epsabs=1e-14, epsrel=1e-12)[0]

    grid = np.linspace(0, window, 4001)
    values = np.array([K(r) for r in grid])
    ends = [0.0]
    for i in np.flatnonzero(values[:-1] * values[1:] < 0):
        low, high = grid[i], grid[i + 1]
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if K(low) * K(middle) > 0 else (low, middle)
        ends.append(low)
    ends.append(window)
    return sum(abs(area(a, b)) for a, b in pairwise(ends))


@pytest.mark.parametrize("seed", range(12))
def test_it_is_never_below_the_integral_and_close_to_it(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    poles = -rng.uniform(0.05, 1.0, n) + 1j * rng.uniform(0, 6.0, n)
    weights = rng.standard_normal(n) + 1j * rng.standard_normal(n)
    window = float(rng.uniform(1, 20))
    bound = absolute_integral(poles, weights[None], window)[0]
    truth = exact(poles, weights, window)
    # 1e-10 for the truth; above by the excess of 1 % and what a trapezoid of |K| has at zeros,
    # of the order of the excess itself
    assert truth - 1e-10 <= bound <= 1.03 * truth


def test_one_real_mode_is_its_envelope():
    bound = absolute_integral(np.array([-0.25 + 0j]), np.array([[3.0 + 0j]]), 8.0)
    assert bound[0] == pytest.approx(24 * (1 - np.exp(-2.0)), rel=1e-13)
    assert bound[0] >= 24 * (1 - np.exp(-2.0)) * (1 - 1e-16)


def test_rows_are_kernels_of_their_own():
    poles = np.array([-0.3 + 2j, -0.1 + 5j])
    weights = np.array([[1 + 0j, 2j], [0.5j, -1 + 1j]])
    both = absolute_integral(poles, weights, 10.0)
    alone = [absolute_integral(poles, row[None], 10.0)[0] for row in weights]
    # the panels may differ with the company: both are within 1 % above
    assert both == pytest.approx(alone, rel=0.02)


def test_a_mode_too_fast_for_any_number_of_panels_has_its_envelope():
    fast = absolute_integral(np.array([-1e-3 + 1e6j]), np.array([[1 + 0j]]), 1e4)
    assert fast[0] == pytest.approx(2000 * (1 - np.exp(-10.0)), rel=1e-12)

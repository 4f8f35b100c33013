"""The ladder measures itself: solvers of a driven pendulum show the orders that theory gives them.

`q'' = -W^2 sin q + F u(t)` from rest, `u` the model's input. A solver is a function of `(x, tau)`;
one that reads `u` halfway through its step takes two samples a step, so that nothing is made up.

Source:
    Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I (1993), sections II.1
    (Euler, midpoint, Heun, Runge-Kutta), II.6 (output between steps), III.1 (Adams, BDF); Hairer,
    Lubich and Wanner, Geometric Numerical Integration (2006), section I.1.4 (leapfrog).
"""

import math
from itertools import pairwise

import numpy as np
import pytest

from timegrain.continuity.model.measure import model_continuity
from timegrain.core import Outcome

W2, F = 0.2**2, 0.01  # two swings on the grid, up to about a radian: far from linear


def pull(q, u):
    return -W2 * math.sin(q) + F * u


def implicit(q, v, g, u):
    """Return the solution of `Q = q + g V, V = v + g pull(Q, u)`, by Newton's method."""
    Q = q + g * v
    for _ in range(6):
        Q -= (Q - q - g * (v + g * pull(Q, u))) / (1 + g * g * W2 * math.cos(Q))
    return Q, v + g * pull(Q, u)


def euler(q, v, u, w, h):
    return q + h * v, v + h * pull(q, u)


def heun(q, v, u, w, h):
    Q, V = euler(q, v, u, w, h)
    return q + h / 2 * (v + V), v + h / 2 * (pull(q, u) + pull(Q, w))


def trapezoidal(q, v, u, w, h):
    return implicit(q + h / 2 * v, v + h / 2 * pull(q, u), h / 2, w)


def leapfrog(q, v, u, w, h):
    half = v + h / 2 * pull(q, u)
    Q = q + h * half
    return Q, half + h / 2 * pull(Q, w)


def midpoint(q, v, u, middle, w, h):
    return q + h * (v + h / 2 * pull(q, u)), v + h * pull(q + h / 2 * v, middle)


def rk4(q, v, u, middle, w, h):
    v1, a1 = v, pull(q, u)
    v2, a2 = v + h / 2 * a1, pull(q + h / 2 * v1, middle)
    v3, a3 = v + h / 2 * a2, pull(q + h / 2 * v2, middle)
    v4, a4 = v + h * a3, pull(q + h * v3, w)
    return q + h / 6 * (v1 + 2 * (v2 + v3) + v4), v + h / 6 * (a1 + 2 * (a2 + a3) + a4)


def ab2(old, new, u, h):
    (p, o), (q, v) = old, new
    return q + h / 2 * (3 * v - o), v + h / 2 * (3 * pull(q, u[1]) - pull(p, u[0]))


def bdf2(old, new, u, h):
    (p, o), (q, v) = old, new
    return implicit((4 * q - p) / 3, (4 * v - o) / 3, 2 * h / 3, u[2])


def two_step_midpoint(old, new, u, h):
    (p, o), (q, v) = old, new
    return p + 2 * h * v, o + 2 * h * pull(q, u[1])


def each(step):
    """A step from every sample to the next."""

    def solve(u, h):
        path = [(0.0, 0.0)]
        for one, other in pairwise(u):
            path.append(step(*path[-1], one, other, h))
        return path

    return solve


def starting(step, first):
    """The same from the last two states; the first step by a one-step method of order 2."""

    def solve(u, h):
        path = [(0.0, 0.0), first(0.0, 0.0, u[0], u[1], h)]
        for k in range(2, len(u)):
            path.append(step(path[-2], path[-1], u[k - 2 : k + 1], h))
        return path

    return solve


def every_second(step):
    """A step over two samples; between them the cubic with the states and slopes of both ends."""

    def solve(u, h):
        path = [(0.0, 0.0)]
        for k in range(0, len(u) - 2, 2):
            (q, v), (one, middle, other) = path[-1], u[k : k + 3]
            Q, V = step(q, v, one, middle, other, 2 * h)
            a, A = pull(q, one), pull(Q, other)
            path += [((q + Q) / 2 + h / 4 * (v - V), (v + V) / 2 + h / 4 * (a - A)), (Q, V)]
        return path

    return solve


def guessing(step, guess):
    """A step from every sample to the next that makes up the sample halfway."""

    def solve(u, h):
        path = [(0.0, 0.0)]
        for k, (one, other) in enumerate(pairwise(u)):
            path.append(step(*path[-1], one, guess(u, k), other, h))
        return path

    return solve


def line(u, k):
    return (u[k] + u[k + 1]) / 2


def cubic(u, k):
    """Halfway on the cubic through four samples."""
    i = min(max(k - 1, 0), len(u) - 4)
    weights = {0: (5, 15, -5, 1), 1: (-1, 9, 9, -1), 2: (1, -5, 15, 5)}[k - i]
    return sum(w * x for w, x in zip(weights, u[i : i + 4], strict=True)) / 16


def as_model(solve, order):
    def solver(x, tau=1.0):
        return np.array([solve(row[:, 0].tolist(), tau) for row in x])

    solver.order = order
    return solver


def measured(solve, order):
    return model_continuity(as_model(solve, order), length=65)


SOLVERS = {
    "euler": (each(euler), 1),
    "midpoint": (every_second(midpoint), 2),
    "heun": (each(heun), 2),
    "rk4": (every_second(rk4), 4),
    "ab2": (starting(ab2, heun), 2),
    "bdf2": (starting(bdf2, trapezoidal), 2),
    "trapezoidal": (each(trapezoidal), 2),
    "leapfrog": (each(leapfrog), 2),
    "two-step midpoint": (starting(two_step_midpoint, heun), 2),
}


@pytest.mark.parametrize("name", SOLVERS)
def test_a_solver_shows_its_order(name):
    solve, order = SOLVERS[name]
    result = measured(solve, order)
    assert result.outcome is Outcome.CONVERGES
    assert result.n_pairs == 20
    assert result.order == pytest.approx(order, abs=0.05)
    low, high = result.interval
    assert order - 0.05 < low <= result.order <= high < order + 0.05


@pytest.mark.parametrize(("guess", "order"), [(line, 2), (cubic, 4)])
def test_a_made_up_sample_bounds_the_order(guess, order):
    # A line is off by h^2 u''/8 halfway, the cubic by 3 h^4 u''''/128.
    result = measured(guessing(rk4, guess), 4)
    assert result.order == pytest.approx(order, abs=0.05)
    assert result.outcome is (Outcome.CONVERGES if order == 4 else Outcome.PRE_ASYMPTOTIC)

"""Chaotic flows: Lorenz's two systems and Roessler's."""

from fractions import Fraction

import numpy as np
from jaxtyping import Float64

from timegrain.data.systems.convection import BETA, RHO, SIGMA
from timegrain.data.systems.integrate import Field, State, stacked
from timegrain.data.systems.system import Parameter, Parameters, System, chosen, solved

# b of Roessler's system, which is not to be found
ROESSLER_B = 0.2
# places on the circle of the Lorenz-96 system, which was published with 36 and 40 of them
SITES = 8
NEXT, LAST, LAST_BUT_ONE = (np.roll(np.arange(SITES), shift) for shift in (-1, 1, 2))


def roessler_field(a: Float64[np.ndarray, " case"], c: Float64[np.ndarray, " case"]) -> Field:
    """Return `f` of `x' = -y - z, y' = x + a y, z' = .2 + z (x - c)`.

    Args:
        a: The first parameter of each system.
        c: The third.

    Source:
        Roessler, An equation for continuous chaos (Physics Letters A 57, 1976), eq. (2).

    Example:
        >>> roessler_field(np.array([0.5]), np.array([5.0]))(0.0, np.ones((3, 1)))[:, 0]
        array([-2. ,  1.5, -3.8])
    """

    def field(t: float, state: State) -> State:
        x, y, z = state
        return stacked(-y - z, x + a * y, ROESSLER_B + z * (x - c))

    return field


def lorenz96_field(forcing: Float64[np.ndarray, " case"]) -> Field:
    """Return `f` of `x_i' = (x_{i+1} - x_{i-2}) x_{i-1} - x_i + F` on a circle of 8 places.

    Args:
        forcing: `F` of each system.

    Source:
        Lorenz, Predictability: a problem partly solved (ECMWF seminar on predictability, 1996),
        eq. (1).

    Example:
        >>> at = np.arange(8.0)[:, None]
        >>> lorenz96_field(np.array([8.0]))(0.0, at)[:, 0]
        array([-27.,   7.,   9.,  11.,  13.,  15.,  17., -29.])
    """

    def field(t: float, state: State) -> State:
        return (state[NEXT] - state[LAST_BUT_ONE]) * state[LAST] - state + forcing

    return field


def _lorenz(parameters: Parameters) -> Field:
    """Return the field of `lorenz_field`, of a time too."""
    sigma, rho, beta = parameters

    def field(t: float, state: State) -> State:
        x, y, z = state
        return stacked(sigma * (y - x), x * (rho - z) - y, x * y - beta * z)

    return field


LORENZ = System(
    name="lorenz",
    title="Lorenz systems",
    parameters=(
        Parameter("sigma", *SIGMA),
        Parameter("rho", *RHO),
        Parameter("beta", *BETA),
    ),
    path=solved(
        _lorenz,
        lambda random: 5 * random.standard_normal(3) + np.array([0.0, 0.0, 20.0]),
        step=Fraction(1, 400),
        burn_in=Fraction(5),
    ),
    seen=("x",),
    observe=chosen(0),
    pair=lambda path: (path[:, 0], path[:, 2]),
    pair_names=("x", "z"),
    source="E. N. Lorenz, Deterministic nonperiodic flow, J. Atmos. Sci. 20 (1963) 130-141; "
    "generated here",
)
ROESSLER = System(
    name="roessler",
    title="Roessler systems",
    parameters=(Parameter("a", 0.1, 0.25), Parameter("c", 4.0, 7.0)),
    path=solved(
        lambda parameters: roessler_field(*parameters),
        lambda random: [*random.uniform(-5, 5, 2), random.uniform(0, 1)],
        step=Fraction(1, 200),
        burn_in=Fraction(20),
    ),
    seen=("x",),
    observe=chosen(0),
    pair=lambda path: (path[:, 0], path[:, 1]),
    pair_names=("x", "y"),
    source="O. E. Roessler, An equation for continuous chaos, Phys. Lett. A 57 (1976) 397-398; "
    "generated here",
)
LORENZ96 = System(
    name="lorenz96",
    title="Lorenz-96 systems of 8 places",
    parameters=(Parameter("F", 5.0, 10.0),),
    path=solved(
        lambda parameters: lorenz96_field(parameters[0]),
        lambda random: 2 + 3 * random.standard_normal(SITES),
        step=Fraction(1, 200),
        burn_in=Fraction(5),
    ),
    seen=("x_1",),
    observe=chosen(0),
    pair=lambda path: (path[:, 0], path[:, 1]),
    pair_names=("x_1", "x_2"),
    source="E. N. Lorenz, Predictability: a problem partly solved, ECMWF seminar on "
    "predictability (1996); generated here",
)

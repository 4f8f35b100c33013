"""Oscillators with one position: van der Pol's, Duffing's with a force, and a damped one."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from jaxtyping import Float64

from timegrain.data.systems.integrate import Field, State, stacked
from timegrain.data.systems.system import Parameter, Parameters, States, System, chosen, solved

# x'' + DAMPING x' + ALPHA x + BETA x^3 = gamma cos(FORCE t)
DAMPING, ALPHA, BETA, FORCE = 0.1, -1.0, 1.0, 1.2
STEP = Fraction(1, 200)


def duffing_field(gamma: Float64[np.ndarray, " case"]) -> Field:
    """Return `f` of `x' = v, v' = gamma cos(1.2 t) - .1 v + x - x^3`.

    Args:
        gamma: Strength of the force on each oscillator.

    Source:
        Guckenheimer and Holmes, Nonlinear Oscillations, Dynamical Systems, and Bifurcations of
        Vector Fields (1983), section 2.2.

    Example:
        >>> duffing_field(np.array([0.5]))(0.0, np.array([[2.0], [1.0]]))[:, 0]
        array([ 1. , -5.6])
    """

    def field(t: float, state: State) -> State:
        x, v = state
        force = gamma * np.cos(FORCE * t)
        return stacked(v, force - DAMPING * v - (ALPHA + BETA * x * x) * x)

    return field


def damped_path(
    omega: Float64[np.ndarray, " case"],
    zeta: Float64[np.ndarray, " case"],
    start: State,
    t: Float64[np.ndarray, " time"],
) -> States:
    r"""Return position and velocity of `x'' + 2 zeta omega x' + omega^2 x = 0`, in closed form.

    Args:
        omega: Angular frequency of each oscillator without damping.
        zeta: Its damping, `0 <= zeta < 1`.
        start: Its position and velocity at time 0.
        t: Instants.

    Math:
        With `a = zeta omega` and `w = omega sqrt(1 - zeta^2)`:
        `x = exp(-a t) (x_0 cos w t + (v_0 + a x_0) / w sin w t)` and
        `v = exp(-a t) (v_0 cos w t - (a v_0 + omega^2 x_0) / w sin w t)`.

    Example:
        >>> quarter = np.array([np.pi / 2])
        >>> path = damped_path(np.ones(1), np.zeros(1), np.array([[1.0], [0.0]]), quarter)
        >>> path[0, :, 0].round(12)
        array([ 0., -1.])
    """
    x, v = start
    a, w = zeta * omega, omega * np.sqrt(1 - zeta * zeta)
    t = t[:, None]
    fades, cosine, sine = np.exp(-a * t), np.cos(w * t), np.sin(w * t)
    position = fades * (x * cosine + (v + a * x) / w * sine)
    velocity = fades * (v * cosine - (a * v + omega * omega * x) / w * sine)
    return np.stack([position, velocity], axis=1)


def _van_der_pol(parameters: Parameters) -> Field:
    """Return the field of `van_der_pol_field(mu, 1)`, of a time too, in fewer operations."""
    (mu,) = parameters

    def field(t: float, state: State) -> State:
        x, v = state
        return stacked(v, mu * (1 - x * x) * v - x)

    return field


def _damped(
    streams: Sequence[np.random.Generator], parameters: Parameters, times: Sequence[Fraction]
) -> States:
    start = np.array([_ring(random) for random in streams]).T
    omega, zeta = parameters
    return damped_path(omega, zeta, start, np.array([float(t) for t in times]))


def _square(random: np.random.Generator) -> np.ndarray:
    return random.uniform(-2, 2, 2)


def _ring(random: np.random.Generator) -> np.ndarray:
    """Start with an amplitude from .5 to 2, so that no case is all but at rest."""
    amplitude, angle = random.uniform(0.5, 2), random.uniform(0, 2 * np.pi)
    return amplitude * np.array([np.cos(angle), np.sin(angle)])


def _position_and_velocity(
    path: States,
) -> tuple[Float64[np.ndarray, "time case"], Float64[np.ndarray, "time case"]]:
    return path[:, 0], path[:, 1]


VDP = System(
    name="vdp",
    title="van der Pol oscillators",
    parameters=(Parameter("mu", 0.2, 2.0),),
    path=solved(_van_der_pol, _square, step=STEP),
    seen=("x",),
    observe=chosen(0),
    pair=_position_and_velocity,
    pair_names=("x", "v"),
    source='B. van der Pol, On "relaxation-oscillations", Phil. Mag. 2 (1926) 978-992; '
    "generated here",
)
DUFFING = System(
    name="duffing",
    title="forced Duffing oscillators",
    parameters=(Parameter("gamma", 0.4, 0.8),),
    path=solved(lambda parameters: duffing_field(parameters[0]), _square, step=STEP),
    seen=("x",),
    observe=chosen(0),
    pair=_position_and_velocity,
    pair_names=("x", "v"),
    source="J. Guckenheimer and P. Holmes, Nonlinear oscillations, dynamical systems, and "
    "bifurcations of vector fields (1983), section 2.2; generated here",
)
DAMPED = System(
    name="damped",
    title="damped harmonic oscillators",
    parameters=(Parameter("omega", 0.5, 2.0), Parameter("zeta", 0.05, 0.2)),
    path=_damped,
    seen=("x",),
    observe=chosen(0),
    pair=_position_and_velocity,
    pair_names=("x", "v"),
    source="the equation of a damped harmonic oscillator, in closed form; generated here",
)

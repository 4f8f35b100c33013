"""The double pendulum, of which the sines of both angles are watched."""

from fractions import Fraction

import numpy as np
from jaxtyping import Float64

from timegrain.data.systems.integrate import Field, State, stacked
from timegrain.data.systems.system import Parameter, Parameters, States, System, solved

GRAVITY = 9.81


def double_pendulum_field(
    mass: Float64[np.ndarray, " case"], length: Float64[np.ndarray, " case"]
) -> Field:
    r"""Return `f` for the two angles from the vertical and their velocities.

    The upper rod has length 1 and its bob mass 1; the rods weigh nothing and nothing rubs.

    Args:
        mass: Of the lower bob.
        length: Of the lower rod.

    Math:
        With `d = p - q`, `m` the mass, `l` the length and `n = 2 + m - m cos 2d`:
        `p'' = (-g (2 + m) sin p - m g sin(p - 2q) - 2 m sin d (q'^2 l + p'^2 cos d)) / n` and
        `q'' = 2 sin d (p'^2 (1 + m) + g (1 + m) cos p + q'^2 l m cos d) / (l n)`.

    Source:
        Landau and Lifshitz, Mechanics (1976), section 5, problem 1: the Lagrangian these follow
        from.

    Example:
        >>> hanging = np.zeros((4, 1))
        >>> float(np.abs(double_pendulum_field(np.ones(1), np.ones(1))(0.0, hanging)).max())
        0.0
    """

    def field(t: float, state: State) -> State:
        p, q, u, w = state
        d = p - q
        sine, cosine = np.sin(d), np.cos(d)
        # cos 2d = 1 - 2 sin^2 d
        n = 2 + 2 * mass * sine * sine
        upper = -GRAVITY * ((2 + mass) * np.sin(p) + mass * np.sin(p - 2 * q))
        upper = upper - 2 * mass * sine * (w * w * length + u * u * cosine)
        lower = (1 + mass) * (u * u + GRAVITY * np.cos(p)) + w * w * length * mass * cosine
        return stacked(u, w, upper / n, 2 * sine * lower / (length * n))

    return field


def _start(random: np.random.Generator) -> np.ndarray:
    """Start at rest, both rods below the horizontal."""
    return np.concatenate([random.uniform(-np.pi / 2, np.pi / 2, 2), np.zeros(2)])


def _field(parameters: Parameters) -> Field:
    return double_pendulum_field(*parameters)


def _sines(path: States) -> Float64[np.ndarray, "time quantity case"]:
    return np.sin(path[:, :2])


def _pair(
    path: States,
) -> tuple[Float64[np.ndarray, "time case"], Float64[np.ndarray, "time case"]]:
    return np.sin(path[:, 0]), np.sin(path[:, 1])


DOUBLE_PENDULUM = System(
    name="double-pendulum",
    title="double pendulums",
    parameters=(Parameter("mass", 0.5, 2.0), Parameter("length", 0.5, 1.5)),
    path=solved(_field, _start, step=Fraction(1, 200)),
    seen=("sin p", "sin q"),
    observe=_sines,
    pair=_pair,
    pair_names=("sin p", "sin q"),
    source="L. D. Landau and E. M. Lifshitz, Mechanics (1976), section 5; generated here",
)

"""Solutions of differential equations as functions of time, read at any instants."""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import ConfigError

State = Float64[np.ndarray, "state case"]
Field = Callable[[float, State], State]

# at some 30 microseconds a step an hour of one core, for a few cases
MOST_STEPS = 10**8


def integrate(
    field: Field, start: State, *, times: Sequence[Fraction], step: Fraction
) -> Float64[np.ndarray, "time state case"]:
    """Return the states of `x' = f(t, x)` at some instants, of order 4 in `step`.

    The solution is one function of time, whatever instants are asked for: it moves along the mesh
    `0, step, 2 step, ...` by the classical Runge-Kutta method, and an instant between two points of
    the mesh is reached by one shorter step from the point before it. The values that two grids
    have at a common instant are therefore the same numbers, also where the system is chaotic.

    Args:
        field: `f`, of a time and an array shaped as `start`, element by element in the cases.
        start: The states at time 0, of many cases side by side.
        times: Instants, >= 0, none before the one in front of it.
        step: Of the mesh, > 0.

    Raises:
        ConfigError: If the instants or the step are no such, or more than 10^8 steps apart.

    Source:
        Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I (1993), section II.1.

    Example:
        >>> times = (Fraction(1), Fraction(2))
        >>> found = integrate(lambda t, x: -x, np.ones((1, 1)), times=times, step=Fraction(1, 99))
        >>> bool(np.allclose(found[:, 0, 0], np.exp([-1.0, -2.0]), atol=1e-9))
        True
    """
    if not step > 0 or any(t < 0 for t in times[:1]) or list(times) != sorted(times):
        raise ConfigError(
            "no such instants to solve for",
            got=f"{len(times)} of them, step={step}",
            expected="none negative, in their order, and a step > 0",
        )
    if times and times[-1] > MOST_STEPS * step:
        raise ConfigError(
            "a solution so long is not solved for",
            got=f"{float(times[-1]):,.0f} time units in {float(times[-1] / step):,.0f} steps",
            expected=f"{MOST_STEPS:,} steps at most, {float(MOST_STEPS * step):,.0f} time units",
            hint="a smaller dt, length or horizon",
        )
    x = np.array(start, dtype=np.float64)
    path = np.empty((len(times), *x.shape))
    h, at, (top, bottom) = float(step), 0, step.as_integer_ratio()
    for row, time in zip(path, times, strict=True):
        whole, left = divmod(time, step)
        for k in range(at, whole):
            x = runge_kutta_step(field, k * top / bottom, x, h)
        at = whole
        row[...] = runge_kutta_step(field, float(at * step), x, float(left)) if left else x
    return path


def runge_kutta_step(field: Field, t: float, x: State, h: float) -> State:
    """Return the state a time `h` after `t`, by one step of the classical method.

    Args:
        field: As in `integrate`.
        t: Time of `x`.
        x: The states.
        h: Length of the step.
    """
    half = h / 2
    k1 = field(t, x)
    k2 = field(t + half, x + half * k1)
    k3 = field(t + half, x + half * k2)
    k4 = field(t + h, x + h * k3)
    return x + h / 6 * (k1 + 2 * (k2 + k3) + k4)


def stacked(*rows: Float64[np.ndarray, " case"]) -> State:
    """Return the states whose rows these are; for few cases much sooner than numpy does.

    Args:
        rows: One a state.

    Example:
        >>> stacked(np.zeros(2), np.ones(2))
        array([[0., 0.],
               [1., 1.]])
    """
    state = np.empty((len(rows), len(rows[0])))
    for number, row in enumerate(rows):
        state[number] = row
    return state

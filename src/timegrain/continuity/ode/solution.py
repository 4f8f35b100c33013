"""The output that a layer would have in continuous time: `ode_output`."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.ode.fields import vector_field
from timegrain.core.errors import GridError, ModelError

if TYPE_CHECKING:
    import torch


def ode_output(
    layer: "torch.nn.Module",
    signal: Callable[[np.ndarray], np.ndarray],
    times: Float64[np.ndarray, " time"],
    *,
    dt: float = 1.0,
    tolerance: float = 1e-10,
) -> Float64[np.ndarray, "time channel"]:
    r"""Return the exact output of a layer's own differential equation for a known signal.

    It is what the layer's outputs tend to on ever finer grids, whatever its discretisation, and
    owes nothing to a ladder of grids: an independent reference for the limit that
    `model_continuity` extrapolates.

    Args:
        layer: S4, S4D, S5 or S6, in float64.
        signal: From times `(time,)` to values `(time, channel)` or `(1, time, channel)`; smooth.
        times: Ascending; the layer is at rest at the first.
        dt: Step of the grid at which tau = 1, in the unit of the times.
        tolerance: Of the solution, relative to its state.

    Returns:
        The output at the times.

    Raises:
        ModelError: If the layer has no known equation, or it cannot be integrated so closely.
        GridError: If the times do not ascend.

    Source:
        Prince and Dormand, High order embedded Runge-Kutta formulae (1981), of order 8(5, 3) as in
        Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section II.5; here
        `scipy.integrate.solve_ivp(method="DOP853")`.

    Example:
        >>> from timegrain.models import build_layer
        >>> layer = build_layer("s4d", d_model=2, seed=0, n_pairs=2).double()
        >>> ode_output(layer, lambda t: np.sin(t)[:, None] + np.arange(2), np.arange(5.0)).shape
        (5, 2)
    """
    from scipy.integrate import solve_ivp

    times = np.asarray(times, dtype=np.float64)
    if times.ndim != 1 or times.size < 2 or not (np.diff(times) > 0).all():
        raise GridError("times do not ascend", got=f"{times.size} times", expected="two or more")
    field = vector_field(layer)

    def sample(at: float) -> np.ndarray:
        values = np.asarray(signal(np.array([at])), dtype=np.float64)
        return values.reshape(values.shape[-1])

    def rate(at: float, flat: np.ndarray) -> np.ndarray:
        return field.rate(flat.reshape(field.shape), sample(at)).ravel() / dt

    start = np.zeros(int(np.prod(field.shape)), dtype=complex if field.complex else float)
    # how far the input alone moves the state within a step of the grid
    size = max(float(np.abs(rate(at, start)).max()) * dt for at in times)
    solved = solve_ivp(
        rate,
        (times[0], times[-1]),
        start,
        method="DOP853",
        t_eval=times,
        rtol=tolerance / 10,
        atol=max(tolerance / 100 * size, np.finfo(float).tiny),
    )
    if not solved.success:
        raise ModelError("the layer's equation cannot be integrated", got=solved.message)
    states = solved.y.T.reshape(times.size, *field.shape)
    return np.stack([field.read(x, sample(t)) for x, t in zip(states, times, strict=True)])

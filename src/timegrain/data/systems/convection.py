"""The Lorenz system, of which one of three states is watched."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float64

from timegrain.core.seeds import stream
from timegrain.data.dataset import Dataset
from timegrain.data.systems.regression import DT, LENGTH, N_SERIES, NOISE, parameter_regression
from timegrain.data.systems.solve import State

SIGMA = (6.0, 14.0)
RHO = (24.0, 60.0)
BETA = (2.0, 3.5)


def lorenz_field(
    sigma: Float64[np.ndarray, " series"],
    rho: Float64[np.ndarray, " series"],
    beta: Float64[np.ndarray, " series"],
) -> Callable[[State], State]:
    """Return `f` of `x' = sigma (y - x), y' = x (rho - z) - y, z' = x y - beta z`.

    Args:
        sigma: The first parameter of each system.
        rho: The second.
        beta: The third.

    Source:
        Lorenz, Deterministic Nonperiodic Flow (Journal of the Atmospheric Sciences 20, 1963),
        eqs. (25) to (27).

    Example:
        >>> lorenz_field(np.array([10.0]), np.array([28.0]), np.array([2.0]))(np.ones((3, 1)))[:, 0]
        array([ 0., 26., -1.])
    """

    def field(state: State) -> State:
        x, y, z = state
        return np.stack([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])

    return field


def lorenz(
    n_series: int = N_SERIES,
    *,
    length: int = LENGTH,
    dt: float = DT,
    noise: float = NOISE,
    seed: int = 0,
) -> Dataset:
    """Return noisy series of `x`, each labelled with the `sigma`, `rho` and `beta` it is from.

    The parameters are uniform in `SIGMA`, `RHO` and `BETA`, where most systems are chaotic.

    Args:
        n_series: Series, three in five of them to train.
        length: Samples of each.
        dt: Step between samples.
        noise: As in `parameter_regression`.
        seed: Of everything that is drawn.

    Example:
        >>> lorenz(5, length=64)
        lorenz: 5 sequences x 1 channel, length 64, dt 0.02 time unit
    """
    random = stream(seed, "lorenz")
    parameters = np.stack([random.uniform(*ends, n_series) for ends in (SIGMA, RHO, BETA)], axis=1)
    start = 5 * random.standard_normal((3, n_series)) + np.array([[0.0], [0.0], [20.0]])
    return parameter_regression(
        "lorenz",
        lorenz_field(*parameters.T),
        start,
        parameters,
        random=random,
        length=length,
        dt=dt,
        noise=noise,
    )

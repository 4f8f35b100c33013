"""The oscillator of van der Pol, of which the position is watched."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float64

from timegrain.core.seeds import stream
from timegrain.data.dataset import Dataset
from timegrain.data.systems.regression import DT, LENGTH, N_SERIES, NOISE, parameter_regression
from timegrain.data.systems.solve import State

MU = (0.5, 5.0)
OMEGA = (2.0, 6.0)
# with 4, the fast stretches of the stiffest oscillators are off by as much as a tenth of the noise
SUBSTEPS = 8


def van_der_pol_field(
    mu: Float64[np.ndarray, " series"], omega: Float64[np.ndarray, " series"]
) -> Callable[[State], State]:
    """Return `f` of `x' = omega v, v' = omega (mu (1 - x^2) v - x)`.

    That is the equation `x'' = mu (1 - x^2) x' - x` in a time that runs `omega` times as fast.

    Args:
        mu: How far each oscillator is from a harmonic one.
        omega: Its angular frequency for small `mu`.

    Source:
        van der Pol, On "relaxation-oscillations" (Philosophical Magazine 2, 1926), eq. (3).

    Example:
        >>> van_der_pol_field(np.array([1.0]), np.array([2.0]))(np.array([[2.0], [1.0]]))[:, 0]
        array([  2., -10.])
    """

    def field(state: State) -> State:
        x, v = state
        return np.stack([omega * v, omega * (mu * (1 - x * x) * v - x)])

    return field


def van_der_pol(
    n_series: int = N_SERIES,
    *,
    length: int = LENGTH,
    dt: float = DT,
    noise: float = NOISE,
    seed: int = 0,
) -> Dataset:
    """Return noisy series of the position, each labelled with the `mu` and `omega` it is from.

    The parameters are uniform in `MU` and `OMEGA`; a series of 512 samples shows 2 to 9 periods.

    Args:
        n_series: Series, three in five of them to train.
        length: Samples of each.
        dt: Step between samples.
        noise: As in `parameter_regression`.
        seed: Of everything that is drawn.

    Example:
        >>> van_der_pol(5, length=64)
        van-der-pol: 5 sequences x 1 channel, length 64, dt 0.02 time unit
    """
    random = stream(seed, "van-der-pol")
    parameters = np.stack([random.uniform(*ends, n_series) for ends in (MU, OMEGA)], axis=1)
    # further out the damping is too stiff for the steps of the solution
    start = random.uniform(-2, 2, (2, n_series))
    return parameter_regression(
        "van-der-pol",
        van_der_pol_field(*parameters.T),
        start,
        parameters,
        random=random,
        length=length,
        dt=dt,
        noise=noise,
        substeps=SUBSTEPS,
    )

"""Series of one observed quantity, labelled with the parameters of the system it is from."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import ConfigError
from timegrain.data.dataset import Dataset
from timegrain.data.systems.solve import State, runge_kutta

N_SERIES = 2500
N_TRAIN = 1500
LENGTH = 512
DT = 0.02
NOISE = 0.05
# time before the first sample, in which a system forgets where it started
BURN_IN = 200
SUBSTEPS = 4


def parameter_regression(
    name: str,
    field: Callable[[State], State],
    start: Float64[np.ndarray, "state series"],
    parameters: Float64[np.ndarray, "series parameter"],
    *,
    random: np.random.Generator,
    length: int = LENGTH,
    dt: float = DT,
    noise: float = NOISE,
    substeps: int = SUBSTEPS,
) -> Dataset:
    """Return noisy series of the first state of many systems, with their parameters as labels.

    The system is watched after `BURN_IN` samples. Each series gets mean 0 and variance 1, so that
    its amplitude tells nothing, and then white noise.

    Args:
        name: Of the dataset.
        field: Of all systems side by side, `(state, series)`.
        start: Their states at the beginning.
        parameters: What is to be found, one row a series.
        random: Draws the noise.
        length: Samples of each series.
        dt: Step between samples.
        noise: Standard deviation of the noise, in units of the series' own.
        substeps: Steps of the solution from one sample to the next.

    Raises:
        ConfigError: If the noise is negative, or a length or a step is outside its domain.
    """
    if not noise >= 0 or length < 2:
        raise ConfigError(
            "no such series",
            got=f"noise={noise}, length={length}",
            expected="noise >= 0, length >= 2",
        )
    path = runge_kutta(field, start, dt=dt, n_samples=BURN_IN + 1 + length, substeps=substeps)
    x = path[BURN_IN + 1 :, 0].T
    x = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)
    x = x + noise * random.standard_normal(x.shape)
    return Dataset(
        name=name,
        sequences=tuple(np.ascontiguousarray(x)[:, :, None]),
        labels=np.ascontiguousarray(parameters),
        n_train=min(N_TRAIN * len(x) // N_SERIES, len(x)) or None,
        channel_names=("x",),
        dt=dt,
        unit="time unit",
    )

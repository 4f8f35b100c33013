"""The classical Runge-Kutta method, for many systems at once."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import ConfigError

State = Float64[np.ndarray, "..."]


def runge_kutta(
    field: Callable[[State], State], start: State, *, dt: float, n_samples: int, substeps: int = 1
) -> Float64[np.ndarray, "sample ..."]:
    r"""Return the states of `x' = f(x)` at `0, dt, ..., (n_samples - 1) dt`, of order 4.

    Args:
        field: `f`, of and to arrays shaped as `start`; may hold many systems side by side.
        start: The state at time 0.
        dt: Time between samples, > 0.
        n_samples: Samples, the start among them, >= 1.
        substeps: Equal steps from one sample to the next, >= 1.

    Raises:
        ConfigError: If an argument is outside its domain.

    Math:
        `x + h (k_1 + 2 k_2 + 2 k_3 + k_4) / 6` with `k_1 = f(x)`, `k_2 = f(x + h k_1 / 2)`,
        `k_3 = f(x + h k_2 / 2)`, `k_4 = f(x + h k_3)` and `h = dt / substeps`.

    Source:
        Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I (1993), section II.1.

    Example:
        >>> path = runge_kutta(lambda x: -x, np.ones(1), dt=0.1, n_samples=11)
        >>> bool(abs(path[-1, 0] - np.exp(-1)) < 1e-6)
        True
    """
    if not dt > 0 or n_samples < 1 or substeps < 1:
        raise ConfigError(
            "no such grid to solve on",
            got=f"dt={dt}, n_samples={n_samples}, substeps={substeps}",
            expected="dt > 0, n_samples >= 1, substeps >= 1",
        )
    h = dt / substeps
    x = np.asarray(start, dtype=np.float64)
    path = np.empty((n_samples, *x.shape))
    path[0] = x
    for k in range(1, n_samples):
        for _ in range(substeps):
            k1 = field(x)
            k2 = field(x + h / 2 * k1)
            k3 = field(x + h / 2 * k2)
            k4 = field(x + h * k3)
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        path[k] = x
    return path

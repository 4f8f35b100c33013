"""What is seen of a system on a grid of any step."""

import numpy as np
from jaxtyping import Float64

from timegrain.data.systems.system import System
from timegrain.data.systems.times import exact_time


def watch_system(
    system: System, *, dt: float, n: int, n_channels: int, seed: int, pair: int = 0, level: int = 0
) -> Float64[np.ndarray, "time channel"]:
    """Return what is seen of new cases of a system on a grid, or on one halved from it.

    Args:
        system: The system.
        dt: Step of the grid, in the system's time.
        n: Samples of the grid.
        n_channels: Channels: the quantities seen of a case, then those of the next.
        seed: Seed of the cases.
        pair: Number of the draw; draws with other numbers have other cases.
        level: How often the step is halved.

    Returns:
        `(n - 1) 2^level + 1` samples; those at the times of another level are the same numbers.

    Example:
        >>> from timegrain.data.systems.oscillators import DAMPED
        >>> way = {"dt": 0.1, "n": 4, "n_channels": 2, "seed": 0}
        >>> coarse, fine = (watch_system(DAMPED, **way, level=j) for j in (0, 1))
        >>> fine.shape, bool((fine[::2] == coarse).all())
        ((7, 2), True)
    """
    step = exact_time(dt) / 2**level
    times = tuple(k * step for k in range((n - 1) * 2**level + 1))
    n_cases = -(-n_channels // len(system.seen))
    index = pair * n_cases + np.arange(n_cases)
    blocks = system.run(index, seed=seed, name=f"signal {system.name}", times=times)
    seen = np.concatenate([system.observe(states) for _, _, states in blocks], axis=2)
    return np.moveaxis(seen, 2, 1).reshape(len(times), -1)[:, :n_channels]

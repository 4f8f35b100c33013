"""How long, in time units, an output goes on responding to an input that has ended."""

import numpy as np
from jaxtyping import Float, Float64


def memory_time(
    response: Float[np.ndarray, "time channel"],
    times: Float64[np.ndarray, " time"],
    *,
    after: float,
) -> float:
    r"""Return the memory that a twin experiment shows.

    Args:
        response: Difference of the outputs for an input and for its twin, which differs from it
            only before `after`; `(time, channel)`.
        times: Equally spaced instants of the samples, `(time,)`.
        after: When the twins' inputs are equal again.

    Returns:
        Time units; 0 for an output that depends on the present alone; NaN if the outputs do not
        respond at all.

    Math:
        `m = integral_{t > after} |dF| dt / max |dF|`, `|.|` Euclidean over channels, the integral
        by the trapezoidal rule on the samples from `after` on (a part of a step before the first of
        them counts with that sample's value), the maximum over all times.

    Example:
        >>> t = np.linspace(0.0, 40.0, 4001)
        >>> round(memory_time(np.exp(-t)[:, None], t, after=0.0), 3)
        1.0
    """
    largest = np.abs(response).max()
    if not largest > 0:
        return float("nan")
    # Relative to the largest, so that squares neither underflow nor overflow.
    size = np.linalg.norm(response / largest, axis=-1)
    peak = size.max()
    step = times[1] - times[0] if times.size > 1 else 0.0
    later = times >= after - 1e-9 * step
    if not later.any():
        return 0.0
    tail, begin = size[later], times[later][0]
    return float((max(begin - after, 0.0) * tail[0] + np.trapezoid(tail, dx=step)) / peak)


def is_memoryless(memory: Float[np.ndarray, " level"], *, window: float) -> bool:
    """Return whether the memory is below `1e-6` of the window on all levels."""
    return bool(np.all(memory < 1e-6 * window))


def memory_collapses(memory: Float[np.ndarray, " level"]) -> bool:
    """Return whether memory more than halves along the ladder and falls over its last two levels.

    Args:
        memory: Memory on each level, from the working grid to the finest, in time units.
    """
    if memory.size < 3:
        return False
    return bool(memory[-1] < memory[0] / 2 and memory[-1] < memory[-2] < memory[-3])

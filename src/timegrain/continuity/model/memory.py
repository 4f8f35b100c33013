"""How long, in time units, an output goes on responding to an input that has ended."""

import numpy as np
from jaxtyping import Float, Float64

from timegrain.kernels.gaps.dispatch import squared_gaps

SAFE = 1e-240, 1e300  # of the largest square: 1e-30 of the largest value still has one


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
    return float(_lasting(np.linalg.norm(response / largest, axis=-1), times, after=after))


def twin_memories(
    plain: Float64[np.ndarray, "pair time channel"],
    twin: Float64[np.ndarray, "pair time channel"],
    times: Float64[np.ndarray, " time"],
    *,
    after: float,
) -> Float64[np.ndarray, " pair"]:
    """Return `memory_time(twin - plain, times, after=after)` of several in one pass over them.

    Args:
        plain: Outputs for inputs.
        twin: Outputs for their twins.
        times: As for `memory_time`.
        after: As for `memory_time`.

    Returns:
        NaN where the outputs do not respond, or are not finite.

    Example:
        >>> t, zero = np.linspace(0.0, 40.0, 4001), np.zeros((1, 4001, 1))
        >>> twin_memories(zero, np.exp(-t)[None, :, None], t, after=0.0).round(3).tolist()
        [1.0]
    """
    squares = squared_gaps(plain, twin)
    largest = squares.max(-1)
    known = (largest > SAFE[0]) & (largest < SAFE[1])
    # Elsewhere squares that matter underflow, or the largest overflow.
    found = np.empty(len(plain))
    found[known] = _lasting(np.sqrt(squares[known]), times, after=after)
    for pair in np.flatnonzero(~known):
        found[pair] = _scaled(plain[pair], twin[pair], times, after)
    return found


def _scaled(
    plain: Float64[np.ndarray, "time channel"],
    twin: Float64[np.ndarray, "time channel"],
    times: Float64[np.ndarray, " time"],
    after: float,
) -> float:
    with np.errstate(invalid="ignore"):  # not finite: NaN
        return memory_time(twin - plain, times, after=after)


def _lasting(
    size: Float[np.ndarray, "*pair time"], times: Float64[np.ndarray, " time"], *, after: float
) -> Float64[np.ndarray, "*pair"]:
    """Return the integral of a size from a time on, over its largest value."""
    peak = size.max(-1)
    step = times[1] - times[0] if times.size > 1 else 0.0
    first = int(np.searchsorted(times, after - 1e-9 * step))
    if first == times.size:
        return np.zeros(peak.shape)
    tail, begin = size[..., first:], times[first]
    whole = max(begin - after, 0.0) * tail[..., 0] + np.trapezoid(tail, dx=step)
    return np.asarray(whole / peak)


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

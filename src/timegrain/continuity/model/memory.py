"""How long, in time units, an output goes on responding to an input that has ended."""

import numpy as np
from jaxtyping import Float, Float64

from timegrain.kernels.twins.gaps import squared_gaps

Response = Float64[np.ndarray, "pair ..."]
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
    return memory_and_noise(response, times, after=after, floor=0.0)[0]


def memory_and_noise(
    response: Float[np.ndarray, "time channel"],
    times: Float64[np.ndarray, " time"],
    *,
    after: float,
    floor: float,
) -> tuple[float, float]:
    r"""Return the memory of `memory_time`, and how far rounding may move it.

    Args:
        response: As for `memory_time`, and so are the others.
        times: Instants.
        after: When the twins' inputs are equal again.
        floor: Differences of outputs below this are rounding.

    Returns:
        Both in time units; NaN if the outputs do not respond at all.

    Math:
        The noise is `(m + T_after) floor / max |dF|`, `T_after` what is left of time: each `|dF|`
        in the integral is off by `floor` at most, and so is the maximum that divides it.

    Example:
        >>> t = np.linspace(0.0, 40.0, 4001)
        >>> _, noise = memory_and_noise(np.exp(-t)[:, None], t, after=0.0, floor=1e-6)
        >>> round(noise, 9)
        4.1e-05
    """
    largest = np.abs(response).max()
    if not largest > 0:
        return float("nan"), float("nan")
    # Relative to the largest, so that squares neither underflow nor overflow.
    size = np.linalg.norm(response / largest, axis=-1)
    memory = float(_lasting(size, times, after=after))
    left = max(float(times[-1]) - after, 0.0)
    return memory, float((memory + left) * (floor / largest) / size.max())


def response_of(
    plain: Float64[np.ndarray, "pair time channel"], twin: Float64[np.ndarray, "pair time channel"]
) -> Response:
    """Return what `response_memory` needs of outputs for inputs and for their twins.

    That is `|dF|^2` at each time, `(pair, time)`; where the largest of one is so small or so large
    that others that matter may underflow, or itself overflows, the differences.
    """
    squares = squared_gaps(plain, twin)
    largest = squares.max(-1)
    if largest.min() > SAFE[0] and largest.max() < SAFE[1]:
        return squares
    return twin - plain


def response_memory(
    response: Response,
    times: Float64[np.ndarray, " time"],
    *,
    after: float,
    floors: Float64[np.ndarray, " pair"],
) -> tuple[Float64[np.ndarray, " pair"], Float64[np.ndarray, " pair"]]:
    """Return `memory_and_noise` of each of several responses.

    Args:
        response: What `response_of` returned.
        times: As for `memory_time`.
        after: As for `memory_time`.
        floors: Of each: differences of outputs below are rounding.

    Example:
        >>> t, zero = np.linspace(0.0, 40.0, 4001), np.zeros((1, 4001, 1))
        >>> response = response_of(zero, np.exp(-t)[None, :, None])
        >>> response_memory(response, t, after=0.0, floors=np.zeros(1))[0].round(3).tolist()
        [1.0]
    """
    if response.ndim == 3:
        pairs = zip(response, floors, strict=True)
        found = [memory_and_noise(r, times, after=after, floor=f) for r, f in pairs]
        memory, noise = np.array(found).T
        return memory, noise
    size = np.sqrt(response)
    memory = _lasting(size, times, after=after)
    left = max(float(times[-1]) - after, 0.0)
    return memory, (memory + left) * floors / size.max(-1)


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


def memory_collapses(
    memory: Float[np.ndarray, " level"], noise: Float[np.ndarray, " level"] | None = None
) -> bool:
    """Return whether memory more than halves along the ladder and falls over its last two levels.

    A fall that rounding alone may make is none; and memory that is gone, to rounding, cannot fall
    further.

    Args:
        memory: Memory on each level, from the working grid to the finest, in time units.
        noise: How far rounding may move each; None for not at all.

    Example:
        >>> settled = np.array([0.4, 0.15, 0.15 - 1e-9, 0.15 - 2e-9])
        >>> memory_collapses(settled), memory_collapses(settled, np.full(4, 1e-7))
        (True, False)
    """
    if memory.size < 3:
        return False
    off = np.zeros(memory.size) if noise is None else noise
    halved = memory[-1] + off[-1] < (memory[0] - off[0]) / 2
    falls = memory[-3:-1] - memory[-2:] > off[-3:-1] + off[-2:]
    gone = memory[-1] <= off[-1]
    return bool(halved and (gone or falls.all()))

"""One pair of a model and a signal on all levels of the ladder."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.model.convergence import FLOOR, Convergence, converge
from timegrain.continuity.model.inputs import Inputs
from timegrain.continuity.model.memory import (
    Response,
    memory_and_noise,
    response_memory,
    response_of,
)
from timegrain.continuity.model.readout import check_finite
from timegrain.continuity.model.subject import Batch, Subject
from timegrain.core.errors import TimegrainError
from timegrain.kernels.twins.batch import twin_batch

SHORTER = "fewer levels or a shorter length, where it takes only so many samples"


@dataclass(frozen=True, kw_only=True)
class Climb:
    """What one pair shows at one amplitude.

    Args:
        convergence: Differences, orders and errors.
        memory: Memory on each level in time units, `(J+1,)`; None if it cannot be reached.
        noise: How far rounding may move each; None if there is no memory.
    """

    convergence: Convergence
    memory: Float64[np.ndarray, " level"] | None
    noise: Float64[np.ndarray, " level"] | None = None


def climb(
    subject: Subject,
    inputs: Inputs,
    *,
    pair: int,
    amplitudes: Sequence[float],
    rescale: bool,
    norm: str,
    limits: Float64[np.ndarray, "amplitude time channel"] | None = None,
) -> list[Climb]:
    """Return what one pair shows at each amplitude.

    On level j, of step `2^-j dt`, the model is run on the signal and on its twin, the signal with a
    bump; it is told `tau = 2^-j` if `rescale`, else 1.

    Args:
        subject: The model.
        inputs: The signals.
        pair: Which of them.
        amplitudes: Factors for signal and bump.
        rescale: Whether the model is told its step.
        norm: `"sup"` or `"rms"`.
        limits: What the outputs tend to, at the working grid's times, where that is known.

    Raises:
        ModelError: If an output cannot be read or is not finite.
    """
    scales = np.asarray(amplitudes, dtype=np.float64)
    layer = subject.memory_layer
    outputs: list[Batch] = []
    responses: list[tuple[Response, Float64[np.ndarray, " pair"]]] = []
    together = False
    for level in range(inputs.levels + 1):
        tau = 2.0**-level if rescale else 1.0
        twins = _twins(inputs, pair, level, scales, layer is not None)
        with on_level(level, twins.shape[1]):
            read = subject.run(twins, tau, together=together, seen=layer is None)
            together = together if level else subject.is_apart(twins, tau, read)
            if layer is not None:
                responses.append(_response(read, layer, subject.eps))
        outputs.append(at_working_times(read["output"][: len(scales)], level, subject.pooled))
    # Not between the runs, after which all that is short finds no cache.
    found = [
        response_memory(r, inputs.times(level), after=inputs.bump_end, floors=floors)
        for level, (r, floors) in enumerate(responses)
    ]
    return [
        Climb(
            convergence=converge(
                np.stack([level_outputs[i] for level_outputs in outputs]),
                norm=norm,
                declared=subject.declared_order,
                eps=subject.eps,
                reference=None if limits is None else limits[i],
            ),
            memory=np.array([m[i] for m, _ in found]) if found else None,
            noise=np.array([n[i] for _, n in found]) if found else None,
        )
        for i in range(len(scales))
    ]


def remembered(
    plain: Float64[np.ndarray, "time channel"],
    twin: Float64[np.ndarray, "time channel"],
    times: Float64[np.ndarray, " time"],
    after: float,
    eps: float,
) -> tuple[float, float]:
    """Return the memory that two outputs show, and how far rounding may move it.

    Args:
        plain: Output for the signal.
        twin: Output for its twin.
        times: Instants of both.
        after: When the twins' inputs are equal again.
        eps: Relative spacing of the numbers the model computes with.
    """
    floor = FLOOR * eps * float(np.abs(plain).max())
    return memory_and_noise(twin - plain, times, after=after, floor=floor)


@contextmanager
def on_level(level: int, samples: int) -> Iterator[None]:
    """Let errors of a run say on which level of the ladder it was.

    Args:
        level: Halvings of the working step.
        samples: Of the input there.
    """
    try:
        yield
    except TimegrainError as error:
        where = f"on level {level} ({samples} samples, {step_words(level)})"
        raise error.within(where, hint=SHORTER if level else None) from error


def step_words(level: int) -> str:
    """Return the step of a level, for people.

    Example:
        >>> step_words(0), step_words(3)
        ('the working step', 'the step dt/8')
    """
    return f"the step dt/{2**level}" if level else "the working step"


def at_working_times(
    output: Float64[np.ndarray, "batch time channel"], level: int, pooled: bool
) -> Float64[np.ndarray, "batch working channel"]:
    """Return outputs at the times of level 0; a pooled output belongs to all of them."""
    return output if pooled else output[:, :: 2**level].copy()


def _twins(
    inputs: Inputs, pair: int, level: int, scales: Float64[np.ndarray, " amplitude"], twins: bool
) -> Batch:
    values = inputs.values(pair, level)
    if twins:
        return twin_batch(values, *inputs.added(pair, level), scales)
    return scales[:, None, None] * values


def _response(
    read: Mapping[str, Float64[np.ndarray, "batch _ channel"]], layer: str, eps: float
) -> tuple[Response, Float64[np.ndarray, " pair"]]:
    """Return how outputs answer to the bump, and how much of that is rounding.

    Plain sequences come first, then their twins.

    Raises:
        ModelError: If an output is not finite.
    """
    both = read[layer]
    count = len(both) // 2
    plain = both[:count]
    response = response_of(plain, both[count:])
    if response.ndim == 3:  # out of the usual range, as all is that is not finite
        for array in read.values():
            check_finite(array)
    sizes = [max(one.max(), -one.min()) for one in plain]
    return response, FLOOR * eps * np.array(sizes)

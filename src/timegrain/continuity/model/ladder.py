"""One pair of a model and a signal on all levels of the ladder."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.model.convergence import Convergence, converge
from timegrain.continuity.model.inputs import Inputs
from timegrain.continuity.model.memory import memory_time
from timegrain.continuity.model.subject import Subject


@dataclass(frozen=True, kw_only=True)
class Climb:
    """What one pair shows at one amplitude.

    Args:
        convergence: Differences, orders and errors.
        memory: Memory on each level in time units, `(J+1,)`; None if it cannot be reached.
    """

    convergence: Convergence
    memory: Float64[np.ndarray, " level"] | None


def climb(
    subject: Subject,
    inputs: Inputs,
    *,
    pair: int,
    amplitudes: Sequence[float],
    rescale: bool,
    norm: str,
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

    Raises:
        ModelError: If an output cannot be read or is not finite.
    """
    scales = np.asarray(amplitudes, dtype=np.float64)
    layer = subject.memory_layer
    outputs, memory = [], []
    for level in range(inputs.levels + 1):
        tau = 2.0**-level if rescale else 1.0
        read = subject.run(_twins(inputs, pair, level, scales, layer is not None), tau)
        outputs.append(at_working_times(read["output"][: len(scales)], level, subject.pooled))
        if layer is not None:
            response = read[layer][len(scales) :] - read[layer][: len(scales)]
            times = inputs.grid.refine(2**level).times
            memory.append([memory_time(r, times, after=inputs.bump_end) for r in response])
    return [
        Climb(
            convergence=converge(
                np.stack([level_outputs[i] for level_outputs in outputs]),
                norm=norm,
                declared=subject.declared_order,
                eps=subject.eps,
            ),
            memory=np.array([m[i] for m in memory]) if memory else None,
        )
        for i in range(len(scales))
    ]


def at_working_times(
    output: Float64[np.ndarray, "batch time channel"], level: int, pooled: bool
) -> Float64[np.ndarray, "batch working channel"]:
    """Return outputs at the times of level 0; a pooled output belongs to all of them."""
    return output if pooled else output[:, :: 2**level].copy()


def _twins(
    inputs: Inputs, pair: int, level: int, scales: Float64[np.ndarray, " amplitude"], twins: bool
) -> Float64[np.ndarray, "batch time channel"]:
    values, bump = inputs.twin(pair, level)
    factors = scales[:, None, None]
    plain = factors * values
    return np.concatenate([plain, factors * (values + bump)]) if twins else plain

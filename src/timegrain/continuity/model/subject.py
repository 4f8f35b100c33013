"""What a ladder measures: a map from sequences to outputs, with what is known about it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float64

Batch = Float64[np.ndarray, "batch time channel"]
Sample = Float64[np.ndarray, "1 _ _"]  # axes unnamed: two samples differ in length
Readout = Mapping[str, np.ndarray]


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A model ready to be measured.

    Args:
        name: For results and errors.
        call: Maps `(x, tau)`, `x` of shape `(batch, time, channel)`, to float64 arrays of shape
            `(batch, time, channel)` by name: `"output"`, whose time axis has length 1 if the model
            pools, and for what it pools `"features"` if its author shows it, `"pooled"` if its
            operations do.
        told: Whether tau reaches the model.
        declared_order: Order of convergence that the model's author gives, if any.
        dtype: Type the model computes in, in words.
        eps: Relative spacing of that type's numbers.
        batched: Whether sequences of a batch are known not to touch each other.
        pooled: Whether the output has no time axis.
        constant: Whether two different signals have the same output.
        memory_layer: Name of the readout whose memory can be measured; None if there is none.
        fastest: Largest `|lambda| Delta` of its modes at tau = 1, where it has fixed ones.
        notes: Sentences a reader has to see.
        reasons: Result field to why it will be null or differ from what was asked.
    """

    name: str
    call: Callable[[Batch, float], Readout]
    told: bool
    declared_order: int | None
    dtype: str
    eps: float
    batched: bool = False
    pooled: bool = False
    constant: bool = False
    memory_layer: str | None = "output"
    fastest: float | None = None
    notes: tuple[str, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)

    def run(self, x: Batch, tau: float) -> dict[str, np.ndarray]:
        """Return the outputs for `x`, one sequence at a time unless the batch is known safe.

        A foreign model may normalise over its batch, which would tie a signal to its twin.
        """
        if self.batched:
            return dict(self.call(x, tau))
        parts = [self.call(x[i : i + 1], tau) for i in range(x.shape[0])]
        return {name: np.concatenate([p[name] for p in parts]) for name in parts[0]}

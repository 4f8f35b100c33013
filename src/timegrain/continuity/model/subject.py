"""What a ladder measures: a map from sequences to outputs, with what is known about it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.model.batches import Batches
from timegrain.core.errors import TimegrainError

ROUNDING = 1e4  # spacings: sums over thousands of samples, in another order
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
        unseen: The same without a look at every number, for those who look at them anyway; None
            where there is no such call.
        told: Whether tau reaches the model.
        declared_order: Order of convergence that the model's author gives, if any.
        dtype: Type the model computes in, in words.
        eps: Relative spacing of that type's numbers.
        batched: Whether sequences of a batch are known not to touch each other.
        together: Whether several sequences may be tried at once where that is not known.
        pooled: Whether the output has no time axis.
        constant: Whether two different signals have the same output.
        memory_layer: Name of the readout whose memory can be measured; None if there is none.
        layer: The layer of timegrain that the model is, alone, in float64 and told its step by its
            own tau; None if it is not one.
        trained_dt: Step of the grid on which that is told tau = 1; None for the working grid.
        fastest: Largest `|lambda| Delta` of its modes at tau = 1, where it has fixed ones.
        notes: Sentences a reader has to see.
        reasons: Result field to why it will be null or differ from what was asked.
        source: What was passed or built, whose weights a result has the fingerprint of.
        settings: How it is called, told its step and read, where an adapter or its own signature
            says it.
        batches: Cuts batches into parts that fit into memory.
    """

    name: str
    call: Callable[[Batch, float], Readout]
    told: bool
    declared_order: int | None
    dtype: str
    eps: float
    unseen: Callable[[Batch, float], Readout] | None = None
    batched: bool = False
    together: bool = False
    pooled: bool = False
    constant: bool = False
    memory_layer: str | None = "output"
    layer: Any = None
    trained_dt: float | None = None
    fastest: float | None = None
    notes: tuple[str, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)
    source: Any = None
    settings: Mapping[str, object] = field(default_factory=dict)
    batches: Batches = field(default_factory=Batches)

    def run(
        self, x: Batch, tau: float, *, together: bool = False, seen: bool = True
    ) -> dict[str, np.ndarray]:
        """Return the outputs for `x`, one sequence at a time unless the batch is known safe.

        A foreign model may normalise over its batch, which would tie a signal to its twin.

        Args:
            x: A batch.
            tau: The step ratio.
            together: Whether several sequences may be run at once.
            seen: Whether outputs are known to be finite; if not, the caller sees to it.

        Raises:
            ModelError: If one sequence alone does not fit into memory.
        """
        most = x.shape[0] if self.batched or together else 1
        call = self.call if seen or self.unseen is None else self.unseen
        return self.batches.run(call, x, tau, most=most)

    def is_apart(self, x: Batch, tau: float, alone: Readout) -> bool:
        """Return whether sequences that are run at once have the readouts that each has alone.

        Args:
            x: A batch.
            tau: The step ratio.
            alone: Its readouts, run one sequence at a time.
        """
        if self.batched or not self.together or len(x) == 1:
            return self.batched
        try:
            both = self.run(x, tau, together=True)
        except TimegrainError:  # too many at once for it, in whatever way
            return False
        return all(
            np.abs(both[k] - v).max() <= ROUNDING * self.eps * np.abs(v).max()
            for k, v in alone.items()
        )

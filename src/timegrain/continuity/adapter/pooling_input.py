"""What a submodule that pools is given, read through a hook on it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float64
from torch import Tensor

from timegrain.continuity.model.readout import to_array
from timegrain.continuity.model.scripted import hook_before, is_scripted
from timegrain.continuity.model.subject import Batch, Sample
from timegrain.continuity.model.tape import as_real, floating, tensors_in
from timegrain.core.errors import ModelError

Run = Callable[[Batch], Any]


@dataclass(frozen=True, kw_only=True)
class PoolingInput:
    """Where the sequence is.

    Args:
        module: The model.
        name: The submodule's name.
        axis: The axis of its first argument that is time.
    """

    module: Any
    name: str
    axis: int

    @classmethod
    def find(cls, run: Run, samples: tuple[Sample, Sample], module: Any, name: str) -> Any:
        """Return where it is.

        Args:
            run: The model on `(batch, time, channel)`.
            samples: Inputs of two lengths, `(1, time, channel)`.
            module: The model that `run` calls.
            name: The submodule's name.

        Raises:
            ModelError: If the submodule is not called, or is given no sequence.
        """
        shapes = [_given(run, x, module, name)[1].shape for x in samples]
        times = tuple(x.shape[1] for x in samples)
        axes = [
            axis
            for axis, pair in enumerate(zip(*shapes, strict=False))
            if pair == times and axis > 0
        ]
        if len(shapes[0]) != len(shapes[1]) or len(axes) != 1 or shapes[0][0] != 1:
            raise ModelError(
                f"what {name} is given is no sequence with the input's times",
                got=f"shapes {', '.join(str(tuple(s)) for s in shapes)} for inputs of "
                f"{times[0]} and {times[1]} samples",
                expected="the batch first, and one axis as long as the input",
                hint="pooling= the submodule that removes the axis of time",
            )
        return cls(module=module, name=name, axis=axes[0])

    def read(self, run: Run, x: Batch) -> tuple[Any, Float64[np.ndarray, "batch time channel"]]:
        """Run the model and return its raw answer with the sequence.

        Raises:
            ModelError: If the sequence changes its form with the length of the input.
        """
        raw, given = _given(run, x, self.module, self.name)
        if given.shape[0] != x.shape[0] or given.shape[self.axis] != x.shape[1]:
            raise ModelError(
                f"what {self.name} is given changes its form with the length of the input",
                got=f"shape {tuple(given.shape)} for an input of shape {x.shape}",
            )
        sequence = as_real(given).movedim(self.axis, 1)
        return raw, to_array(sequence.reshape(x.shape[0], x.shape[1], -1))[0]


def _given(run: Run, x: Batch, module: Any, name: str) -> tuple[Any, Tensor]:
    """Run a model and return its raw answer with what a submodule is given in its last call."""
    heard: list[Tensor] = []

    def note(_module: Any, args: Any, kwargs: Any) -> None:
        first = next((t for t in tensors_in((args, kwargs)) if floating(t)), None)
        heard[:] = [] if first is None else [first.clone()]  # it may be written into later

    submodule = dict(module.named_modules())[name]  # scripts have no get_submodule
    handle = hook_before(submodule, note)
    try:
        raw = run(x.copy())
    finally:
        handle.remove()
    if not heard:
        if is_scripted(submodule):
            raise ModelError(
                f"what {name} is given cannot be read",
                got="a part of TorchScript, within which no hooks fire",
                hint="a Python module that calls it, or leaving pooling= out, which watches the "
                "operations",
            )
        raise ModelError(
            f"the model does not call {name} on a tensor",
            hint="a name of model.named_modules() that its forward calls",
        )
    return raw, heard[0]

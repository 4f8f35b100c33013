"""A sequence that a submodule returns, read through a hook on that submodule."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from timegrain.continuity.model.scripted import hook_after
from timegrain.continuity.model.subject import Batch, Sample
from timegrain.continuity.model.tape import tensors_in
from timegrain.core.errors import ModelError

Run = Callable[[Batch], Any]
Key = tuple[str, int]


@dataclass(frozen=True, kw_only=True)
class Returned:
    """Where the sequence is.

    Args:
        module: The submodule.
        name: Its name in the model.
        position: Which of the tensors that it returns in its last call.
        axis: The tensor's axis that is time.
    """

    module: Any
    name: str
    position: int
    axis: int

    def read(self, run: Run, x: Batch) -> tuple[Any, Tensor]:
        """Run a model and return its raw output with the sequence, time first.

        Raises:
            ModelError: If the run has nothing there.
        """
        with _listening({self.name: self.module}) as heard:
            raw = run(x)
        tensor = heard.get((self.name, self.position))
        if tensor is None or tensor.shape[self.axis : self.axis + 1] != (x.shape[1],):
            raise ModelError(
                f"{self.name} returns something else for {x.shape[1]} samples than for fewer",
                hint="giving the model a method features(x) that returns what it pools",
            )
        return raw, tensor.movedim(self.axis, 0)


def find_returned(
    run: Run, samples: tuple[Sample, Sample], module: Any, sequence: Tensor
) -> Returned | None:
    """Return the last and outermost submodule that returns a sequence, in whatever layout.

    Args:
        run: The model on `(1, time, channel)`.
        samples: Inputs of two lengths.
        module: Whose submodules are heard.
        sequence: The values for the first sample.
    """
    named = {name: m for name, m in module.named_modules() if name}
    heard = []
    for x in samples:
        with _listening(named) as outputs:
            run(x.copy())
        heard.append(outputs)
    times = tuple(x.shape[1] for x in samples)
    for (name, position), tensor in reversed(heard[0].items()):
        longer = heard[1].get((name, position))
        if longer is None or not _same_values(tensor, sequence):
            continue
        pairs = list(zip(tensor.shape, longer.shape, strict=True))
        follow = [axis for axis, pair in enumerate(pairs) if pair[0] != pair[1]]
        if [pairs[axis] for axis in follow] == [times]:
            return Returned(module=named[name], name=name, position=position, axis=follow[0])
    return None


def _same_values(one: Tensor, other: Tensor) -> bool:
    if (one.dtype, one.numel()) != (other.dtype, other.numel()) or one.is_complex():
        return False
    return torch.allclose(one.flatten().sort().values, other.flatten().sort().values)


@contextmanager
def _listening(named: dict[str, Any]) -> Iterator[dict[Key, Tensor]]:
    """Collect copies of what submodules return in their last call, in the order of those."""
    heard: dict[Key, Tensor] = {}

    def hook(name: str) -> Callable[[Any, Any, Any], None]:
        def note(_module: Any, _args: Any, output: Any) -> None:
            for position, tensor in enumerate(tensors_in(output)):
                heard.pop((name, position), None)
                heard[name, position] = tensor.clone()  # it may be written into later

        return note

    handles = [hook_after(m, hook(n)) for n, m in named.items()]
    try:
        yield heard
    finally:
        for handle in handles:
            handle.remove()

"""What a layer or network carries from one sample to the next."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

import torch
from torch import Tensor

from timegrain.core.errors import ModelError

# A tensor with the batch first, or some states together.
State: TypeAlias = Tensor | tuple["State", ...]


def map_state(function: Callable[[Tensor], Tensor], state: State) -> State:
    """Return a state of the same form with `function` applied to each of its tensors.

    Args:
        function: From a tensor to a tensor.
        state: A tensor, or tuples of states; a named tuple stays one.

    Example:
        >>> import torch
        >>> map_state(lambda t: t[:1], (torch.zeros(2), (torch.ones(2),)))
        (tensor([0.]), (tensor([1.]),))
    """
    if isinstance(state, Tensor):
        return function(state)
    parts = [map_state(function, part) for part in state]
    return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)


def check_states(
    state: tuple[State, ...] | None, count: int, dtype: torch.dtype
) -> tuple[State | None, ...]:
    """Return one state a block; None is rest.

    Args:
        state: Of a network.
        count: Its blocks.
        dtype: Of its weights.

    Raises:
        ModelError: If there is not one state a block, or a part of one is of single precision in a
            network of double precision.
    """
    if state is None:
        return (None,) * count
    several = isinstance(state, tuple | list)
    if not several or len(state) != count:
        said = f"{len(state)} states" if several else f"one {type(state).__name__.lower()}"
        raise ModelError(
            "the state does not fit the network",
            got=f"{said} for {count} blocks",
            expected="what an earlier scan() or step() returned",
        )
    if dtype == torch.float64:
        for part in state_tensors(state):
            if part.dtype in (torch.float32, torch.complex64):
                raise ModelError(
                    "the state and the weights differ in precision",
                    got=f"{part.dtype} for a {dtype} network",
                    hint="scanning what came before by the network in this precision",
                )
    return tuple(state)


def state_tensors(state: State) -> Iterator[Tensor]:
    """Iterate the tensors of a state, first to last.

    Example:
        >>> import torch
        >>> [t.shape for t in state_tensors((torch.zeros(2), (torch.ones(2, 3),)))]
        [torch.Size([2]), torch.Size([2, 3])]
    """
    if isinstance(state, Tensor):
        yield state
    elif isinstance(state, tuple | list):  # a layer of one's own may carry something else
        for part in state:
            yield from state_tensors(part)

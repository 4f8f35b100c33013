"""What a layer or network carries from one sample to the next."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from torch import Tensor

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


def state_tensors(state: State) -> Iterator[Tensor]:
    """Iterate the tensors of a state, first to last.

    Example:
        >>> import torch
        >>> [t.shape for t in state_tensors((torch.zeros(2), (torch.ones(2, 3),)))]
        [torch.Size([2]), torch.Size([2, 3])]
    """
    if isinstance(state, Tensor):
        yield state
    else:
        for part in state:
            yield from state_tensors(part)

"""The tensors of a state, whatever holds them."""

import copy
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

_WHOLE = (nn.Module, torch.Generator, type, FunctionType, MethodType, ModuleType)


def mapped(state: Any, change: Callable[[Any], Any]) -> Any:
    """Return a state of the same form, with every tensor and array replaced.

    Tuples, lists, dicts and the attributes of objects are looked into; what holds no tensor is
    passed on as it is.

    Args:
        state: Anything.
        change: Maps a tensor, or a numpy array of numbers, to another.

    Example:
        >>> mapped({"h": (torch.ones(2), 3)}, lambda t: 2 * t)
        {'h': (tensor([2., 2.]), 3)}
    """
    return _mapped(state, change, frozenset())


def leaves(state: Any) -> Iterator[Any]:
    """Iterate the tensors and arrays of a state, in the order in which `mapped` replaces them."""
    found: list[Any] = []

    def note(leaf: Any) -> Any:
        found.append(leaf)
        return leaf

    mapped(state, note)
    yield from found


def tensors(state: Any) -> list[Tensor]:
    """Return the tensors of a state, arrays as tensors too."""
    return [torch.as_tensor(leaf) for leaf in leaves(state)]


def kept(state: Any) -> Any:
    """Return a copy of a state with tensors of its own."""
    return mapped(state, lambda leaf: leaf.clone() if isinstance(leaf, Tensor) else leaf.copy())


def row_of(state: Any, row: int) -> Any:
    """Return the state of one sequence, as a batch of one; every tensor has the batch first."""
    return mapped(state, lambda leaf: leaf[row : row + 1] if leaf.ndim else leaf)


def _mapped(state: Any, change: Callable[[Any], Any], within: frozenset[int]) -> Any:
    if isinstance(state, Tensor) or (isinstance(state, np.ndarray) and state.dtype.kind in "biufc"):
        return change(state)
    if id(state) in within:  # an object that holds itself
        return state
    within = within | {id(state)}
    if isinstance(state, tuple | list):
        parts = [_mapped(part, change, within) for part in state]
        if all(a is b for a, b in zip(parts, state, strict=True)):
            return state
        return type(state)(*parts) if hasattr(state, "_fields") else type(state)(parts)
    held = dict(state) if isinstance(state, Mapping) else _attributes(state)
    parts_of = {name: _mapped(part, change, within) for name, part in held.items()}
    if all(parts_of[name] is part for name, part in held.items()):
        return state
    if isinstance(state, Mapping) and not isinstance(state, dict):
        return parts_of
    other = copy.copy(state)
    for name, part in parts_of.items():
        if isinstance(state, dict):
            other[name] = part
        else:
            object.__setattr__(other, name, part)  # a frozen dataclass refuses its own
    return other


def _attributes(state: Any) -> dict[str, Any]:
    if isinstance(state, _WHOLE):
        return {}
    slots = [getattr(kind, "__slots__", ()) for kind in type(state).__mro__]
    names = [n for own in slots for n in ((own,) if isinstance(own, str) else own)]
    held = {n: getattr(state, n) for n in names if not n.startswith("__") and hasattr(state, n)}
    return {**held, **getattr(state, "__dict__", {})}

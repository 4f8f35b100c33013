"""Tensors that a module computes with and that its `state_dict` does not hold."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

_HELD_BY_TORCH = ("_parameters", "_buffers", "_modules", "_non_persistent_buffers_set")
_DEEPEST = 8  # containers in containers


@dataclass(frozen=True, kw_only=True)
class Unstored:
    """A tensor outside the `state_dict`.

    Args:
        name: Where it is, such as `"layers[0].weight"`.
        tensor: The tensor.
        learns: Whether a gradient is collected in it.
    """

    name: str
    tensor: Tensor
    learns: bool


def unstored_tensors(module: nn.Module) -> list[Unstored]:
    """Return the dense real or complex tensors of a module that its `state_dict` does not hold.

    Buffers that are not persistent, and tensors in plain attributes: also in lists, tuples and
    dicts, and in modules that stand in such instead of a `ModuleList`.

    Args:
        module: Any module.

    Example:
        >>> held = nn.Linear(2, 2)
        >>> held.scales = [torch.ones(2)]
        >>> [found.name for found in unstored_tensors(held)]
        ['scales[0]']
    """
    seen = {id(t) for t in module.state_dict(keep_vars=True).values()}
    found = []
    for name, tensor in _tensors(module, "", seen, 0):
        numbers = tensor.is_floating_point() or tensor.is_complex()
        if numbers and tensor.layout == torch.strided and not tensor.is_meta:
            learns = tensor.requires_grad and tensor.is_leaf
            found.append(Unstored(name=name, tensor=tensor, learns=learns))
    return found


def _tensors(value: Any, name: str, seen: set[int], depth: int) -> Iterator[tuple[str, Tensor]]:
    if id(value) in seen or depth > _DEEPEST:
        return
    if isinstance(value, Tensor):
        seen.add(id(value))
        yield name, value
        return
    for part, inner in _parts(value):
        own = part if part.startswith("[") else f".{part}"
        yield from _tensors(inner, f"{name}{own}".removeprefix("."), seen, depth + 1)


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, nn.Module):
        for held in (value._parameters, value._buffers, value._modules):
            yield from held.items()
        yield from ((k, v) for k, v in vars(value).items() if k not in _HELD_BY_TORCH)
    elif isinstance(value, Mapping):
        yield from ((f"[{key!r}]", part) for key, part in value.items())
    elif isinstance(value, list | tuple):
        yield from ((f"[{i}]", part) for i, part in enumerate(value))
    elif isinstance(value, SimpleNamespace):
        yield from vars(value).items()

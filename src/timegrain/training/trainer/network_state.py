"""All that a network remembers: parameters, buffers of either kind, and states of its own."""

import copy
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from timegrain.core.errors import ModelError, ResultError
from timegrain.training.trainer.tree import split


def network_state(model: nn.Module) -> dict[str, Any]:
    """Return the state of a network; the tensors are those in use.

    Args:
        model: The network; `register_buffer(..., persistent=False)` and what `get_extra_state`
            returns are part of its state.
    """
    return {"weights": dict(model.state_dict()), "unsaved": unsaved_buffers(model)}


def copied_state(model: nn.Module) -> dict[str, Any]:
    """Return the state of a network as it is now, whatever it does afterwards.

    Args:
        model: The network.
    """
    state = network_state(model)
    return {
        part: {
            name: v.detach().clone() if isinstance(v, Tensor) else copy.deepcopy(v)
            for name, v in values.items()
        }
        for part, values in state.items()
    }


def set_network_state(model: nn.Module, state: Mapping[str, Any]) -> None:
    """Put a network into a state.

    Args:
        model: The network.
        state: As `network_state` of such a network returned it.
    """
    model.load_state_dict(state["weights"])
    with torch.no_grad():
        for name, buffer in unsaved_buffers(model).items():
            buffer.copy_(state["unsaved"][name])


def unsaved_buffers(model: nn.Module) -> dict[str, Tensor]:
    """Return the buffers that are not in the `state_dict` of a network, by name.

    Args:
        model: The network.
    """
    saved = set(model.state_dict())
    return {name: buffer for name, buffer in model.named_buffers() if name not in saved}


def check_storable(model: nn.Module) -> None:
    """Check that the state of a network can be stored.

    Args:
        model: The network.

    Raises:
        ModelError: If `get_extra_state` returns what cannot.
    """
    for name, value in model.state_dict().items():
        if isinstance(value, Tensor):
            continue
        try:
            split(value)
        except ResultError as error:
            raise ModelError(
                "a part of the network's state cannot be stored in a snapshot",
                got=f"{error.got} in {name}",
                expected=error.expected,
                hint="get_extra_state() that returns these, or no snapshots",
            ) from error


def state_bytes(value: object) -> bytes:
    """Return a part of a state as bytes to compare by.

    Args:
        value: A tensor, or what `get_extra_state` returned.
    """
    if isinstance(value, Tensor):
        plain = value.detach().cpu().contiguous().reshape(-1)
        return plain.view(torch.uint8).numpy().tobytes()
    try:
        text, tensors = split(value)
    except ResultError:
        return type(value).__name__.encode()
    return b"".join([json.dumps(text).encode(), *map(state_bytes, tensors.values())])


@contextmanager
def buffers_kept(model: nn.Module) -> Iterator[None]:
    """Put the buffers of a network back afterwards, such as the statistics of BatchNorm.

    Args:
        model: The network.
    """
    kept = [
        (module._buffers, name, buffer, buffer.detach().clone())
        for module in model.modules()
        for name, buffer in module._buffers.items()
        if buffer is not None and not is_lazy(buffer)
    ]
    try:
        yield
    finally:
        with torch.no_grad():
            for buffers, name, buffer, values in kept:
                buffers[name] = buffer.copy_(values)

"""What the submodules of a model take and return in one run."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from timegrain.continuity.model.scripted import hook_after, hook_before
from timegrain.continuity.model.tape import floating, tensors_in, unseen

OUTPUT = -1

Key = tuple[str, int]
"""A module's name, and the number of one of the tensors it takes, or `OUTPUT`."""


@dataclass(kw_only=True)
class Heard:
    """One run of a model.

    Args:
        done: Whether the model has returned; what its modules are called for later is ignored.
        calls: How often each module was called, in the order in which the first calls ended.
        tensors: Copies of what each took and returned in its last call.
        returned: Type of what each returned, where no tensor begins it.
    """

    done: bool = False
    calls: dict[str, int] = field(default_factory=dict)
    tensors: dict[Key, Tensor] = field(default_factory=dict)
    returned: dict[str, str] = field(default_factory=dict)


@contextmanager
def listening(named: Mapping[str, Any], *, only: frozenset[Key] | None = None) -> Iterator[Heard]:
    """Listen to a model's modules while it runs once.

    Args:
        named: Modules by name, the model's own the empty one.
        only: What to keep copies of; None for all.
    """
    heard = Heard()
    with ExitStack() as stack:
        for name, module in named.items():
            before = hook_before(module, _takes(heard, name, only))
            stack.callback(before.remove)
            after = hook_after(module, _returns(heard, name, only))
            stack.callback(after.remove)
        yield heard


def _takes(heard: Heard, name: str, only: frozenset[Key] | None) -> Callable[..., None]:
    def note(_module: Any, args: Any, kwargs: Any) -> None:
        if heard.done:
            return
        for number, tensor in enumerate(tensors_in((args, kwargs))):
            _keep(heard, (name, number), tensor, only)

    return note


def _returns(heard: Heard, name: str, only: frozenset[Key] | None) -> Callable[..., None]:
    def note(_module: Any, _args: Any, output: Any) -> None:
        if heard.done:
            return
        heard.done = not name
        heard.calls[name] = heard.calls.get(name, 0) + 1
        tensor = _first(output)
        if tensor is None:
            heard.returned[name] = type(output).__name__
        else:
            _keep(heard, (name, OUTPUT), tensor, only)

    return note


def _keep(heard: Heard, key: Key, tensor: Tensor, only: frozenset[Key] | None) -> None:
    if (only is None or key in only) and floating(tensor):
        with unseen():
            heard.tensors[key] = tensor.detach().clone()  # it may be written into later


def _first(output: Any) -> Tensor | None:
    """Return a tensor, or the one that a tuple, a list or a mapping begins with."""
    if isinstance(output, Mapping):
        output = tuple(output.values())
    if isinstance(output, tuple | list):
        output = output[0] if output else None
    return output if isinstance(output, Tensor) else None

"""The operations of a run, as torch's dispatcher meets them."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A tensor that an operation reads or makes.

    Args:
        tensor: The tensor; what is written into it later shows here too.
        writes: How often its memory had been written to.
    """

    tensor: Tensor
    writes: int

    @property
    def state(self) -> tuple[int, int]:
        """What all views of one memory share until it is written to again."""
        return self.tensor.untyped_storage().data_ptr(), self.writes


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One operation.

    Args:
        name: Such as `"aten::mean"`.
        reads: Its arguments that are tensors, in order.
        makes: What it returns.
    """

    name: str
    reads: tuple[Seen, ...]
    makes: tuple[Seen, ...]


class Tape(TorchDispatchMode):
    """Records the operations that run while it is entered, and so keeps all their tensors.

    Args:
        before: Called with an operation's number and its tensors before it runs.
    """

    def __init__(self, *, before: Callable[[int, tuple[Tensor, ...]], None] | None = None) -> None:
        super().__init__()
        self.operations: list[Operation] = []
        self._before = before

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any | None = None
    ) -> Any:
        """Run an operation and record it."""
        kwargs = kwargs or {}
        tensors = tuple(tensors_in((args, kwargs)))
        if self._before is not None:
            self._before(len(self.operations), tensors)
        reads = tuple(map(_seen, tensors))  # before it runs: it may write into them
        made = func(*args, **kwargs)
        makes = tuple(map(_seen, tensors_in(made)))
        self.operations.append(Operation(name=_name(func), reads=reads, makes=makes))
        return made


class Tail(TorchDispatchMode):
    """Keeps the last operations that run while it is entered, at little cost for long runs.

    Args:
        count: How many.
    """

    def __init__(self, count: int) -> None:
        super().__init__()
        self._calls: deque[tuple[Any, Any, Any, Any]] = deque(maxlen=count)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any | None = None
    ) -> Any:
        """Run an operation and keep it."""
        made = func(*args, **kwargs) if kwargs else func(*args)
        self._calls.append((func, args, kwargs, made))
        return made

    def operations(self) -> list[Operation]:
        """Return the last operations; tensors are as the run left them."""
        return [
            Operation(
                name=_name(func),
                reads=tuple(map(_seen, tensors_in((args, kwargs or {})))),
                makes=tuple(map(_seen, tensors_in(made))),
            )
            for func, args, kwargs, made in self._calls
        ]


def unseen() -> AbstractContextManager[Any]:
    """Return a context whose operations no tape sees: those of hooks, which are not the model's."""
    return _disable_current_modes()


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Iterate the tensors in nested tuples, lists and dicts."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from tensors_in(part)
    elif isinstance(value, dict):
        yield from tensors_in(tuple(value.values()))


def _name(func: Any) -> str:
    return str(func.name()).partition(".")[0]


def _seen(tensor: Tensor) -> Seen:
    # tensors made in inference mode count no writes
    writes = 0 if tensor.is_inference() else tensor._version
    return Seen(tensor=tensor, writes=writes)


def floating(tensor: Tensor) -> bool:
    """Return whether a tensor holds real or complex numbers that are not whole."""
    return tensor.is_floating_point() or tensor.is_complex()


def all_found_in(tensor: Tensor, other: Tensor) -> bool:
    """Return whether every value of one tensor is also a value of another."""
    return tensor.dtype == other.dtype and bool(torch.isin(*map(as_real, (tensor, other))).all())


def as_real(tensor: Tensor) -> Tensor:
    """Return a tensor's numbers as real ones, a complex number as two along a last axis."""
    return torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor

"""Which implementation of an operation runs, and why."""

import contextlib
import importlib
import importlib.util
import logging
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import torch
from torch import Tensor

from timegrain.core.errors import ConfigError, UnknownNameError
from timegrain.core.registry import suggest
from timegrain.kernels.context import asked_backend
from timegrain.kernels.derivatives import with_tangent
from timegrain.kernels.switched_off import VARIABLE, switched_off

_log = logging.getLogger(__name__)
_loaded: dict[str, Callable[..., Any]] = {}


def anything(tensors: Mapping[str, Tensor]) -> tuple[bool, str]:
    """Say that a backend takes any tensors."""
    return True, "it takes any device and dtype"


def compiled_on_cpu(tensors: Mapping[str, Tensor]) -> tuple[bool, str]:
    """Say whether loops compiled by numba can take the tensors, whose dtypes the door has seen.

    Half precision is widened before they run.
    """
    if torch.compiler.is_compiling():
        return False, "torch.compile does not trace compiled loops"
    if torch.jit.is_tracing():
        return False, "a trace of torch.jit does not see what compiled loops write"
    for name, tensor in tensors.items():
        if tensor.device.type != "cpu":
            return False, f"{name} is on {tensor.device}, the compiled loops run on the CPU"
    if "numba" not in sys.modules and importlib.util.find_spec("numba") is None:
        return False, "numba is not installed"
    if switched_off():
        return False, f"{VARIABLE} is set, so that nothing is compiled"
    if torch._C._are_functorch_transforms_active():
        return False, "torch.func (jacrev, vmap, grad) does not see what compiled loops compute"
    if (dual := with_tangent(tensors)) is not None:
        return False, f"{dual} has a forward-mode derivative, which compiled loops do not carry on"
    return True, "the tensors are on the CPU, in single or double precision or made so"


@dataclass(frozen=True, kw_only=True)
class Backend:
    """One implementation of an operation.

    Args:
        name: What users type for `backend=`.
        target: `module:function`, imported when first used.
        usable: From the tensors to `(can it run, the reason)`.
        automatic: Whether `backend="auto"` may choose it.
        least: Numbers of the first tensor below which `backend="auto"` passes it over, since a call
            costs more than it saves.
    """

    name: str
    target: str
    usable: Callable[[Mapping[str, Tensor]], tuple[bool, str]] = anything
    automatic: bool = True
    least: int = 0

    def load(self) -> Callable[..., Any]:
        """Import the function."""
        function = _loaded.get(self.target)
        if function is None:
            module, _, attribute = self.target.partition(":")
            function = _loaded[self.target] = getattr(importlib.import_module(module), attribute)
        return function


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The backend that ran an operation last, and why.

    Args:
        operation: Name of the operation.
        backend: Name of the backend.
        asked: What `backend=` was, or `use_backend`.
        reason: Why it was chosen.
        rejected: Backends tried before it, with the reason each could not run.
        by_block: Whether it was `use_backend` that asked.
    """

    operation: str
    backend: str
    asked: str
    reason: str
    rejected: Mapping[str, str] = field(default_factory=dict)
    by_block: bool = False

    def __str__(self) -> str:
        by = " by use_backend" if self.by_block else ""
        text = f"{self.operation} ran on {self.backend} (asked{by}: {self.asked}): {self.reason}"
        for name, reason in self.rejected.items():
            text += f"; not {name}: {reason}"
        return text


_turn = count()
_last: dict[str, tuple[int, Choice]] = {}
"""When each operation last ran, and on what; one assignment at a time, so that threads agree."""
_listening: ContextVar[tuple[dict[str, Choice], ...]] = ContextVar("listening", default=())
_logged: set[str] = set()


def choose(
    operation: str, backends: Sequence[Backend], asked: str, tensors: Mapping[str, Tensor | None]
) -> Callable[..., Any]:
    """Return the function that is to run, and remember the choice for `explain`.

    Args:
        operation: Name of the operation.
        backends: Its implementations, the preferred first.
        asked: `"auto"` for what `use_backend` asks, without it for the first that can run, or the
            name of one.
        tensors: The arguments by name; absent ones are None.

    Raises:
        UnknownNameError: If there is no backend of that name.
        ConfigError: If the backend asked for cannot run; another never takes its place.
    """
    given = {name: tensor for name, tensor in tensors.items() if tensor is not None}
    names = [b.name for b in backends]
    by_block = asked == "auto" and (asked := asked_backend()) != "auto"
    if asked != "auto" and asked not in names:
        raise UnknownNameError(
            f"{operation}() has no backend called {asked!r}",
            expected=f"one of auto, {', '.join(names)}",
            hint=_spelt(suggest(str(asked), ["auto", *names], count=1), by_block),
        )
    rejected: dict[str, str] = {}
    for backend in backends:
        if asked != backend.name and not (asked == "auto" and backend.automatic):
            continue
        usable, reason = backend.usable(given)
        if usable and backend.least and asked == "auto":
            usable, reason = _pays(backend.least, given)
        if usable:
            _remember(operation, backend.name, asked, by_block, reason, rejected)
            return backend.load()
        rejected[backend.name] = reason
    raise ConfigError(
        f"{operation}() cannot run on backend {asked!r}",
        got="; ".join(rejected.values()),
        hint=_spelt("auto", by_block) if asked != "auto" else None,
    )


def _spelt(name: str | None, by_block: bool) -> str | None:
    if name is None:
        return None
    return f"use_backend({name!r})" if by_block else f"backend={name!r}"


def _pays(least: int, tensors: Mapping[str, Tensor]) -> tuple[bool, str]:
    name, tensor = next(iter(tensors.items()))
    size = tensor.numel()
    if size >= least:
        return True, f"{name} has {least:,} numbers or more, on the CPU"
    return False, f"{name} has less than {least:,} numbers: a call costs more than it saves"


def _remember(
    operation: str, backend: str, asked: str, by_block: bool, reason: str, rejected: dict[str, str]
) -> None:
    if torch.compiler.is_compiling():
        return
    _, choice = _last.get(operation, (0, None))
    if choice is None or _said(choice) != (backend, asked, by_block, reason, rejected):
        choice = Choice(
            operation=operation,
            backend=backend,
            asked=asked,
            reason=reason,
            rejected=rejected,
            by_block=by_block,
        )
        if str(choice) not in _logged:
            _logged.add(str(choice))
            _log.info("%s", choice)
    _last[operation] = next(_turn), choice
    for choices in _listening.get():
        choices[operation] = choice


def _said(choice: Choice) -> tuple[str, str, bool, str, Mapping[str, str]]:
    return choice.backend, choice.asked, choice.by_block, choice.reason, choice.rejected


def explain() -> dict[str, Choice]:
    """Return, for every operation that ran in this process, which backend ran last and why.

    The most recent operation comes last. Printing a choice gives one sentence.

    Example:
        >>> import torch
        >>> from timegrain.kernels import explain, lti_conv
        >>> _ = lti_conv(torch.ones(1, 4, 1), torch.ones(1, 4))
        >>> explain()["lti_conv"].backend
        'numba'
    """
    newest_last = sorted(_last.copy().items(), key=lambda item: item[1][0])
    return {operation: choice for operation, (_, choice) in newest_last}


@contextlib.contextmanager
def recorded() -> Iterator[dict[str, Choice]]:
    """Collect the choices that this thread makes in a block, by operation.

    Example:
        >>> import torch
        >>> from timegrain.kernels import lti_conv
        >>> with recorded() as choices:
        ...     _ = lti_conv(torch.ones(1, 4, 1), torch.ones(1, 4))
        >>> list(choices)
        ['lti_conv']
    """
    choices: dict[str, Choice] = {}
    token = _listening.set((*_listening.get(), choices))
    try:
        yield choices
    finally:
        _listening.reset(token)

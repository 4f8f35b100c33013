"""Which backend a block of code asks for, in the place of `backend="auto"`."""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from threading import Lock

import torch

from timegrain.core.errors import UnknownNameError
from timegrain.core.registry import suggest

NAMES = ("auto", "numba", "torch", "reference")

_asked: ContextVar[str] = ContextVar("asked", default="auto")
_lock = Lock()
_blocks = 0
_anywhere = False
"""Whether any thread is in a block. torch.compile compiles anew when it changes, and then meets the
context variable, which it does not trace: a compiled graph never holds what another block asked."""


@contextlib.contextmanager
def use_backend(name: str) -> Iterator[None]:
    """Let the operations of a block run on one backend, those inside layers and networks too.

    It takes the place of `backend="auto"` in operations on tensors; an explicit `backend=` beats
    it. A backend that cannot run is an error as it is there, and no other takes its place. Backward
    passes stay on the backend of their forward pass, wherever they are run.

    A block holds for its own thread and its own asynchronous task; threads that are started in it
    begin with `"auto"`. What `torch.utils.checkpoint` computes again follows the block it is then
    in. `torch.compile` breaks its graph in a block, which `fullgraph=True` refuses. A layer's
    `step` is made of torch's own operations always.

    Args:
        name: `"torch"` (any device, differentiable twice), `"reference"` (the plain loops that
            specify the others), `"numba"` (compiled loops, CPU) or `"auto"` (undoes a block
            around this one).

    Raises:
        UnknownNameError: If there is no such backend.

    Example:
        >>> import torch
        >>> from timegrain.kernels import explain, lti_conv
        >>> with use_backend("reference"):
        ...     _ = lti_conv(torch.ones(1, 4, 1), torch.ones(1, 4))
        >>> print(explain()["lti_conv"])
        lti_conv ran on reference (asked by use_backend: reference): it takes any device and dtype
    """
    if name not in NAMES:
        near = suggest(str(name), NAMES, count=1)
        raise UnknownNameError(
            f"use_backend() knows no backend called {name!r}",
            expected=f"one of {', '.join(NAMES)}",
            hint=None if near is None else f"use_backend({near!r})",
        )
    _count(1)
    token = _asked.set(name)
    try:
        yield
    finally:
        _asked.reset(token)
        _count(-1)


def asked_backend() -> str:
    """Return what the block around the caller asks for, `"auto"` where there is none.

    Example:
        >>> with use_backend("torch"):
        ...     asked_backend()
        'torch'
    """
    if torch.compiler.is_compiling() and not _anywhere:
        return "auto"
    return _asked.get()


def _count(change: int) -> None:
    global _blocks, _anywhere
    with _lock:
        _blocks += change
        _anywhere = _blocks > 0

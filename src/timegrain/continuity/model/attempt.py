"""One way to call a model, and what goes wrong when it is the wrong way."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from timegrain.continuity.model.subject import Batch
from timegrain.core.errors import TimegrainError

Call = Callable[[Batch, float], Any]

# What torch, numpy and modules raise when an input has the wrong type or shape.
FAILURES = (TypeError, ValueError, RuntimeError, AttributeError, IndexError, NotImplementedError)
SWAPPED = (
    "lambda x: model(x.swapaxes(1, 2)), and swapaxes(1, 2) of a sequence that it returns: it runs "
    "on (batch, channel, time)"
)


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One way to call a model.

    Args:
        output: Maps `(x, tau)` to the raw output.
        features: The same for what a pooling model pools; None if it shows nothing.
        dtype: The type computed in.
        module: The module that is called, if it is one.
    """

    output: Call
    features: Call | None
    dtype: str
    module: Any = None


def first_line(error: Exception) -> str:
    """Return the first line of what an error says; of a user's code, what it raised and where."""
    text = str(error)
    if isinstance(error, TimegrainError) and error.__cause__ is not None and error.got:
        text = str(error.got)
    elif isinstance(error, TimegrainError):
        text = error.what if error.got is None else f"{error.what}, got {error.got}"
    return (text.strip().splitlines() or [type(error).__name__])[0]

"""What a network must have to be trained in parts."""

from collections.abc import Callable
from typing import Any, Protocol, cast, runtime_checkable

from torch import Tensor, nn

from timegrain.core.errors import ModelError

POOLINGS = ("mean", "last", "step")
_EXPECTED = (
    "scan(x, state=None, *, tau, lengths) -> (features, state), head(features) -> answers, and "
    "pooling = 'mean', 'last' or 'step'"
)


@runtime_checkable
class Carrying(Protocol):
    """A causal network that can go on from a state.

    Attributes:
        pooling: What becomes of the features of a sequence before the head: `"mean"` or `"last"`
            over its samples, or `"step"`, one answer a sample.
        head: From features to answers.
    """

    pooling: str
    head: Callable[[Tensor], Tensor]

    def scan(self, x: Tensor, state: Any = None, *, tau: Any, lengths: Any) -> tuple[Tensor, Any]:
        """Return the features of a stretch of each sequence and the state behind it."""
        ...


def as_carrying(model: nn.Module) -> Carrying:
    """Return a network that can be trained in parts, as one.

    Args:
        model: As `build_model` makes it, or with the same `scan`, `head` and `pooling`.

    Raises:
        ModelError: If it has not what is needed, or one of its layers needs whole sequences.
    """
    name = type(model).__name__
    lacks = [word for word in ("scan", "head") if not callable(getattr(model, word, None))]
    lacks += [] if getattr(model, "pooling", None) in POOLINGS else ["pooling"]
    if lacks:
        raise ModelError(
            f"{name} cannot be trained in parts, going on from a state",
            got=f"no {', '.join(lacks)}",
            expected=_EXPECTED,
            hint="build_model(...), or tbptt=None, which holds whole sequences",
        )
    if not getattr(model, "steps", True):
        raise ModelError(
            f"{name} cannot be trained in parts: a layer of it needs whole sequences",
            got="steps = False",
            expected="causal layers, with scan(x, state, ...)",
            hint="tbptt=None, which holds whole sequences",
        )
    return cast(Carrying, model)


def detached(state: Any) -> Any:
    """Return a state through which no gradient goes: a tensor, or tuples, lists, dicts of them."""
    if isinstance(state, Tensor):
        return state.detach()
    if isinstance(state, tuple | list):
        parts = [detached(part) for part in state]
        return type(state)(*parts) if hasattr(state, "_fields") else type(state)(parts)
    if isinstance(state, dict):
        return {name: detached(part) for name, part in state.items()}
    return state

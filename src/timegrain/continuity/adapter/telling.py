"""How a model is told its step, from the words that an adapter uses."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from timegrain.continuity.adapter.tau_argument import TauArgument, takes
from timegrain.continuity.adapter.tau_scale import TauScale
from timegrain.continuity.model.introspect import is_module, model_name
from timegrain.core.errors import ConfigError, ModelError
from timegrain.core.registry import suggest
from timegrain.core.shown import shown
from timegrain.core.users_code import users_code

_MANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@runtime_checkable
class Telling(Protocol):
    """A way to tell a model its step."""

    @property
    def words(self) -> str:
        """How, for people."""

    def check(self, model: Any) -> None:
        """Refuse a model that cannot be told in this way."""

    def told(
        self, model: Any, tau: float, trained_dt: float
    ) -> AbstractContextManager[Mapping[str, float]]:
        """Return a context in which the model is called with the arguments that it gives."""


@dataclass(frozen=True)
class _ByFunction:
    function: Callable[[Any, float], Any]

    @property
    def words(self) -> str:
        return f"by the function {model_name(self.function)}"

    def check(self, model: Any) -> None:
        """Take every model: what can be told is the function's to know."""

    @contextmanager
    def told(self, model: Any, tau: float, trained_dt: float) -> Iterator[Mapping[str, float]]:
        name = model_name(self.function)
        with users_code(name, ModelError):
            context = self.function(model, tau)
        if not hasattr(context, "__enter__"):
            raise ModelError(
                f"{name} returns no context",
                got=type(context).__name__,
                expected="a context manager in which the model is called",
                hint="@contextlib.contextmanager before it, and yield where the model is called",
            )
        with context:
            yield {}


def telling(tau: object, model: Any) -> Telling | None:
    """Return the way that an adapter's `tau` names; None if the model is not told.

    A name without a dot is an argument if the model's call names it, else a number or parameter
    of the model, if it has one of that name.

    Args:
        tau: A `TauArgument` or the name of an argument; a `TauScale` or a path with a dot or a
            star in it; another `Telling`; a function `(model, tau)` that returns a context; or
            None.
        model: The model.

    Raises:
        ConfigError: If it is something else.
    """
    if tau is None or isinstance(tau, Telling):
        return tau
    if isinstance(tau, str):
        return _named(tau, model)
    if callable(tau) and not isinstance(tau, type):
        return _ByFunction(tau)
    raise ConfigError(
        "how tau is told is unknown",
        got=shown(tau),
        expected="the name of an argument, a path, TauArgument(...), TauScale(...), a function "
        "(model, tau) that returns a context, or None",
    )


def _named(name: str, model: Any) -> Telling:
    """Return the argument, or the numbers in the model, that a word is the name of."""
    if "." in name or "*" in name:
        return TauScale(name)
    if takes(model, name):
        return TauArgument(name)
    if hasattr(model, name):
        return TauScale(name)
    if not name.isidentifier():
        return TauArgument(name)  # which says what a name is
    raise ConfigError(
        f"{model_name(model)} has no argument, parameter or number named {name}",
        expected="one that its call names (**kwargs may pass it to nobody), or of what is in it",
        hint=suggest(name, _known(model)) or "a function (model, tau) that returns a context",
    )


def _known(model: Any) -> list[str]:
    """Return the names by which a model could be told its step."""
    function = model.forward if is_module(model) else model
    try:
        arguments = [
            n for n, p in inspect.signature(function).parameters.items() if p.kind not in _MANY
        ]
    except (TypeError, ValueError):  # compiled functions carry no signature
        arguments = []
    numbers = [n for n, _ in model.named_parameters()] if is_module(model) else []
    return [*arguments[1:], *numbers]

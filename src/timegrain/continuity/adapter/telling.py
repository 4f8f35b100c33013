"""How a model is told its step, from the words that an adapter uses."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from timegrain.continuity.adapter.tau_argument import TauArgument, takes
from timegrain.continuity.adapter.tau_scale import TauScale
from timegrain.continuity.model.introspect import model_name
from timegrain.core.errors import ConfigError, ModelError
from timegrain.core.shown import shown
from timegrain.core.users_code import users_code


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
            star in it; a function `(model, tau)` that returns a context; or None.
        model: The model.

    Raises:
        ConfigError: If it is something else.
    """
    if tau is None or isinstance(tau, TauArgument | TauScale):
        return tau
    if isinstance(tau, str):
        path = "." in tau or "*" in tau or (not takes(model, tau) and hasattr(model, tau))
        return TauScale(tau) if path else TauArgument(tau)
    if callable(tau) and not isinstance(tau, type):
        return _ByFunction(tau)
    raise ConfigError(
        "how tau is told is unknown",
        got=shown(tau),
        expected="the name of an argument, a path, TauArgument(...), TauScale(...), a function "
        "(model, tau) that returns a context, or None",
    )

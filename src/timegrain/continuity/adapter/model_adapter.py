"""What `model_continuity` has to know about a model that it cannot ask."""

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from timegrain.continuity.adapter.telling import Telling, telling
from timegrain.continuity.model.introspect import (
    has_parameter,
    is_module,
    model_name,
    why_not_told,
)
from timegrain.continuity.model.scripted import argument_names
from timegrain.core.errors import ConfigError
from timegrain.core.registry import suggest

AS_IT_SAYS = "as it says"
DTYPES = ("float64", "float32")
ASKED_NOT = "the adapter says that the model is not told its step"


@dataclass(frozen=True)
class ModelAdapter:
    """A model with what cannot be read off it: how it is told its step, and where its input goes.

    Args:
        model: A `torch.nn.Module`, or a function of arrays or tensors.
        tau: How it is told its step. The name of an argument (`"step_scale"`; see `TauArgument` for
            what it is given); the name of, or a path to, what is scaled in it (`"dt"`,
            `"layers.*.log_dt"`; see `TauScale`); a
            function `(model, tau)` that returns a context in which the model is called; None: not
            at all. Left alone: by a parameter named `tau`, if there is one.
        trained_dt: Step at which it was trained, in the signal's unit: it is told
            `tau = dt / trained_dt`. None: it was trained at the working step, `dt` of
            `model_continuity`.
        inputs: Name of the argument that is given the signal, such as `"inputs_embeds"`; None: the
            first argument.
        others: Further arguments, the same on every grid; or a function `(x, tau)` that returns
            them, for positions or masks as long as `x`.
        output: What of its answer is measured: a key or attribute (`"last_hidden_state"`), an
            index, or a function of the answer. None: the answer, or the first element of a tuple.
        pooling: Name of the submodule that pools over time, as in `model.named_modules()`: the
            memory of the model is measured at its input.
        d_input: Channels that it takes; found out where it is not given.
        dtype: `"float64"` or `"float32"`; None: float64, or its own type where that fails.
        name: For results.

    Raises:
        ConfigError: If one of these does not go with the model.

    Example:
        >>> import numpy as np
        >>> from timegrain import model_continuity
        >>> def leaky(signal, rate=1.0):
        ...     y, kept = np.zeros_like(signal), np.exp(-rate)
        ...     for k in range(1, signal.shape[1]):
        ...         y[:, k] = kept * y[:, k - 1] + (1 - kept) * signal[:, k]
        ...     return y
        >>> told = ModelAdapter(leaky, tau="rate", inputs="signal")
        >>> model_continuity(told, seeds=2).outcome.name
        'CONVERGES'
        >>> model_continuity(leaky, seeds=2).outcome.name
        'MEMORY_COLLAPSES'
    """

    model: Any
    _: KW_ONLY
    tau: Any = AS_IT_SAYS
    trained_dt: float | None = None
    inputs: str | None = None
    others: Mapping[str, Any] | Callable[[Any, float], Mapping[str, Any]] = field(
        default_factory=dict
    )
    output: str | int | Callable[[Any], Any] | None = None
    pooling: str | None = None
    d_input: int | None = None
    dtype: str | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        _check_model(self.model)
        if self.trained_dt is not None and not (
            math.isfinite(self.trained_dt) and self.trained_dt > 0
        ):
            raise ConfigError("trained_dt is a step", got=self.trained_dt, expected="> 0")
        if self.dtype not in (None, *DTYPES):
            raise ConfigError(
                "dtype is unknown", got=repr(self.dtype), expected=" or ".join(DTYPES)
            )
        if self.inputs is not None:
            _check_argument(self.model, self.inputs)
        if self.pooling is not None:
            _check_submodule(self.model, self.pooling)
        told = self.telling
        if told is not None:
            told.check(self.model)

    @property
    def asked(self) -> bool:
        """Whether it says how the model is told its step, or that it is not."""
        return self.tau != AS_IT_SAYS

    @property
    def telling(self) -> Telling | None:
        """How the model is told its step; None if it is not."""
        if self.asked:
            return telling(self.tau, self.model)
        return telling("tau", self.model) if why_not_told(self.model) is None else None

    @property
    def why_not_told(self) -> str | None:
        """Why the model is not told its step; None if it is."""
        if self.telling is not None or callable(self.others):
            return None
        return ASKED_NOT if self.asked else why_not_told(self.model)

    @property
    def called(self) -> str:
        """A name for results."""
        return self.name or model_name(self.model)


def _check_model(model: Any) -> None:
    if isinstance(model, str):
        raise ConfigError(
            "a registered name needs no adapter", got=repr(model), hint="passing the name itself"
        )
    if isinstance(model, type | ModelAdapter) or not callable(model):
        kind = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
        raise ConfigError(
            "an adapter is for a model",
            got=kind,
            expected="an nn.Module instance, or a function of an array (batch, time, channel)",
        )


def _check_argument(model: Any, name: str) -> None:
    function = model.forward if is_module(model) else model
    if has_parameter(function, name):
        return
    known = argument_names(function)
    if known is None:
        try:
            parameters = inspect.signature(function).parameters
        except (TypeError, ValueError):  # functions in C carry no signature
            return
        if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
            return
        known = list(parameters)
    raise ConfigError(
        f"{model_name(model)} has no argument {name}",
        expected="the argument that is given the signal",
        hint=", ".join(known) or None,
    )


def _check_submodule(model: Any, name: str) -> None:
    known = [n for n, _ in model.named_modules() if n] if is_module(model) else []
    if name not in known:
        raise ConfigError(
            f"{model_name(model)} has no submodule {name}",
            expected="the one that pools over time, as named_modules() calls it",
            hint=suggest(name, known) if known else "an nn.Module, whose submodules have names",
        )

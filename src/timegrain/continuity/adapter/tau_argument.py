"""The step ratio as an argument of a model's call."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from timegrain.continuity.model.introspect import has_parameter, is_module, model_name
from timegrain.core.errors import ConfigError

GIVEN = ("tau", "1/tau", "dt", "1/dt")
_BY_NAME = {
    "dt": "dt",
    "hz": "1/dt",
    "fs": "1/dt",
    "sr": "1/dt",
    "sampling_rate": "1/dt",
    "sample_rate": "1/dt",
}
_WORDS = {
    "tau": "dt / dt_trained",
    "1/tau": "dt_trained / dt",
    "dt": "the step itself",
    "1/dt": "samples a time unit",
}


@dataclass(frozen=True)
class TauArgument:
    """Tells a model its step by an argument of its call.

    Args:
        name: The argument, such as `"step_scale"`.
        gives: What it is given: `"tau"` for `dt / dt_trained`, `"1/tau"`, `"dt"` for the step in
            the signal's unit, or `"1/dt"`. None goes by the name: `dt` gets the step; `hz`, `fs`,
            `sr`, `sampling_rate` and `sample_rate` get `1/dt`; every other name gets tau, as `rate`
            does in the code of S4 and `step_scale` in that of S5.

    Raises:
        ConfigError: If `gives` is none of these, or the name is no name.

    Example:
        >>> TauArgument("rate", gives="1/tau").value(0.5, trained_dt=0.01)
        2.0
        >>> TauArgument("dt").value(0.5, trained_dt=0.01)
        0.005
    """

    name: str
    gives: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name.isidentifier()):
            raise ConfigError(
                "tau is told by the name of an argument",
                got=repr(self.name),
                expected="a name such as 'tau'",
                hint="TauScale(path) for a number or parameter of the model",
            )
        if self.gives is not None and self.gives not in GIVEN:
            raise ConfigError(
                f"what {self.name} is given is unknown",
                got=repr(self.gives),
                expected=", ".join(GIVEN),
            )

    @property
    def given(self) -> str:
        """What the argument is given, one of `GIVEN`."""
        return self.gives or _BY_NAME.get(self.name, "tau")

    @property
    def words(self) -> str:
        """How tau is told, for people."""
        return f"the argument {self.name} is given {_WORDS[self.given]}"

    def check(self, model: Any) -> None:
        """Refuse a model whose call does not name the argument; `**kwargs` may swallow it.

        Raises:
            ConfigError: If it does not.
        """
        if not takes(model, self.name):
            raise ConfigError(
                f"{model_name(model)} has no parameter named {self.name}",
                expected="one that its call names; **kwargs may pass it to nobody",
                hint="a function (model, tau) that returns a context, as tau=...",
            )

    def value(self, tau: float, trained_dt: float) -> float:
        """Return what the argument is given.

        Args:
            tau: `dt / dt_trained`.
            trained_dt: `dt_trained`.
        """
        values = {"tau": tau, "1/tau": 1 / tau, "dt": tau * trained_dt}
        return values[self.given] if self.given in values else 1 / (tau * trained_dt)

    @contextmanager
    def told(self, model: Any, tau: float, trained_dt: float) -> Iterator[Mapping[str, float]]:
        """Give the arguments of a call."""
        yield {self.name: self.value(tau, trained_dt)}


def takes(model: Any, name: str) -> bool:
    """Return whether the call of a module or a function names an argument."""
    return has_parameter(model.forward if is_module(model) else model, name)

"""The step ratio as a factor of a number or parameter within a model."""

import math
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from numbers import Real
from typing import Any

from timegrain.continuity.model.introspect import is_module, model_name
from timegrain.core.errors import ConfigError
from timegrain.core.registry import suggest

WAYS = ("times", "plus log", "divided by")
_WORDS = {
    "times": "are multiplied by tau",
    "plus log": "get log tau added",
    "divided by": "are divided by tau",
}
_LISTED = 5


@dataclass(frozen=True)
class TauScale:
    """Tells a model its step by changing numbers within it, for as long as a call lasts.

    Args:
        path: Where they are, by attributes with dots between; `*` stands for any part that fits:
            `"dt"`, `"layers.*.log_dt"`. Parameters, buffers and plain numbers.
        by: `"times"` multiplies by tau, `"plus log"` adds `log tau`, `"divided by"` divides. None
            goes by the last name: `"plus log"` if it begins with `log`, else `"times"`.

    Raises:
        ConfigError: If `by` is none of these, or the path is none.

    Example:
        >>> class Leak:
        ...     dt = 0.5
        >>> leak = Leak()
        >>> with TauScale("dt").told(leak, 0.25, 1.0):
        ...     leak.dt
        0.125
        >>> leak.dt
        0.5
    """

    path: str
    by: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not (isinstance(self.path, str) and all(self.path.split("."))):
            raise ConfigError(
                "tau scales what a path names",
                got=repr(self.path),
                expected="names with dots between, such as 'layers.*.log_dt'",
            )
        if self.by is not None and self.by not in WAYS:
            raise ConfigError(
                f"how {self.path} is scaled is unknown",
                got=repr(self.by),
                expected=", ".join(map(repr, WAYS)),
            )

    @property
    def way(self) -> str:
        """How it is scaled, one of `WAYS`."""
        last = self.path.rpartition(".")[2]
        return self.by or ("plus log" if last.startswith("log") else "times")

    @property
    def words(self) -> str:
        """How tau is told, for people."""
        return f"numbers in {self.path} {_WORDS[self.way]}"

    def check(self, model: Any) -> None:
        """Refuse a model that has nothing there that can be scaled.

        Raises:
            ConfigError: If it has not.
        """
        found = list(_places(model, self.path.split(".")))
        if not found:
            raise ConfigError(
                f"{model_name(model)} has nothing at {self.path}", hint=_near(model, self.path)
            )
        for owner, name in found:
            value = getattr(owner, name)
            if not (_is_tensor(value) or (isinstance(value, Real) and value is not True)):
                raise ConfigError(
                    f"{self.path} cannot be scaled",
                    got=type(value).__name__,
                    expected="a parameter, a buffer or a number",
                )

    @contextmanager
    def told(self, model: Any, tau: float, trained_dt: float) -> Iterator[Mapping[str, float]]:
        """Scale the numbers, and set them back afterwards."""
        seen: set[int] = set()
        with ExitStack() as stack:
            for owner, name in _places(model, self.path.split(".")):
                value = getattr(owner, name)
                if _is_tensor(value):
                    if id(value) not in seen:  # tied parameters are scaled once
                        seen.add(id(value))
                        stack.enter_context(_changed(value, self._scaled(value, tau)))
                else:
                    stack.callback(setattr, owner, name, value)
                    setattr(owner, name, self._scaled(value, tau))
            yield {}

    def _scaled(self, value: Any, tau: float) -> Any:
        if self.way == "plus log":
            return value + math.log(tau)
        return value * tau if self.way == "times" else value / tau


@contextmanager
def _changed(tensor: Any, scaled: Any) -> Iterator[None]:
    import torch

    before = tensor.detach().clone()
    with torch.no_grad():
        tensor.copy_(scaled)
    try:
        yield
    finally:
        with torch.no_grad():
            tensor.copy_(before)


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "detach") and (value.is_floating_point() or value.is_complex())


def _places(root: Any, parts: list[str]) -> Iterator[tuple[Any, str]]:
    """Iterate the owners of what a path names, with its name there."""
    head, *rest = parts
    for name in _names(root, head):
        if not rest:
            yield root, name
        else:
            yield from _places(getattr(root, name), rest)


def _names(root: Any, pattern: str) -> list[str]:
    if "*" not in pattern:
        return [pattern] if hasattr(root, pattern) else []
    known = vars(root) if not is_module(root) else {**root._modules, **root._parameters}
    return [n for n, v in known.items() if v is not None and fnmatchcase(n, pattern)]


def _near(model: Any, path: str) -> str | None:
    known = [n for n, _ in model.named_parameters()] if is_module(model) else list(vars(model))
    last = path.rpartition(".")[2]
    alike = [n for n in known if n.rpartition(".")[2] == last][:_LISTED]
    return ", ".join(alike) if alike else suggest(path, known, count=_LISTED) if known else None

"""A word that changes what a generator makes, with the values it may have."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from timegrain.core.errors import ConfigError


@dataclass(frozen=True, kw_only=True, eq=False)
class Option:
    """A word that `load_dataset` and `load_task` take for a generated source.

    Args:
        default: Its value when nothing is said.
        domain: The values it may have, in words, such as `"0 to 1"`.
        meaning: What it changes, as a clause.
        check: Returns the value as the generator takes it; raises `ValueError` or `TypeError` for
            one outside the domain.

    Example:
        >>> eta = number(0.0, 0.0, 1.0, "share of the observation that is a symbol")
        >>> eta.domain, eta.take("eta", 1)
        ('0 to 1', 1.0)
    """

    default: Any
    domain: str
    meaning: str
    check: Callable[[Any], Any]

    def take(self, name: str, value: Any) -> Any:
        """Return a value as the generator takes it.

        Args:
            name: What the option is called.
            value: What was given.

        Raises:
            ConfigError: If it is outside the domain.
        """
        try:
            return self.check(value)
        except (ValueError, TypeError, OverflowError) as error:
            raise ConfigError(
                f"{name} is {self.meaning}", got=f"{value!r:.60}", expected=self.domain
            ) from error


def whole(default: int, least: int, most: int | None, meaning: str) -> Option:
    """Return an option whose values are whole numbers, also written as `4.0`.

    Args:
        default: As in `Option`.
        least: The smallest value.
        most: The largest; None for no end.
        meaning: As in `Option`.
    """
    domain = f"a whole number >= {least}" if most is None else f"a whole number {least} to {most}"
    check = partial(_whole, least, most)
    return Option(default=default, domain=domain, meaning=meaning, check=check)


def number(default: float, low: float, high: float, meaning: str, *, above: bool = False) -> Option:
    """Return an option whose values are numbers from `low` to `high`.

    Args:
        default: As in `Option`.
        low: The smallest value.
        high: The largest; infinity for no end, which itself is no value.
        meaning: As in `Option`.
        above: Whether `low` itself is left out.
    """
    if math.isinf(high):
        domain = f"a number {'>' if above else '>='} {low:g}"
    else:
        domain = f"{'above ' if above else ''}{low:g} to {high:g}"
    check = partial(_between, low, high, above)
    return Option(default=default, domain=domain, meaning=meaning, check=check)


def choice(default: str, among: Sequence[str], meaning: str) -> Option:
    """Return an option whose values are some words.

    Args:
        default: As in `Option`.
        among: The words.
        meaning: As in `Option`.
    """
    check = partial(_among, tuple(among))
    return Option(default=default, domain=" or ".join(among), meaning=meaning, check=check)


def switch(default: bool, meaning: str) -> Option:
    """Return an option that is on or off.

    Args:
        default: As in `Option`.
        meaning: As in `Option`.
    """
    return Option(default=default, domain="True or False", meaning=meaning, check=_switch)


# functions of the module, so that another process can be told of an option
def _whole(least: int, most: int | None, value: Any) -> int:
    found = int(_number(value))
    if found != value or found < least or (most is not None and found > most):
        raise ValueError(value)
    return found


def _between(low: float, high: float, above: bool, value: Any) -> float:
    found = float(_number(value))
    if not (low <= found <= high) or math.isinf(found) or (above and found == low):
        raise ValueError(value)
    return found


def _among(words: tuple[str, ...], value: Any) -> str:
    if not isinstance(value, str) or value not in words:
        raise ValueError(value)
    return value


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(value)
    return value


def _number(value: Any) -> Any:
    # True is 1 to Python, and text is a number to float()
    if isinstance(value, bool | str | bytes):
        raise TypeError(value)
    return value

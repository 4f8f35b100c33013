"""What a user may say about a file."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal

from timegrain.core.errors import ConfigError

_ORDERS = "day-first or month-first"


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """Options of all formats; None where the user said nothing. `load_dataset` explains them."""

    key: str | None = None
    target: str | None = None
    time: str | None = None
    dates: Literal["day-first", "month-first"] | None = None
    layout: str | None = None
    delimiter: str | None = None
    kind: Literal["real", "tokens"] | None = None
    id: tuple[str, ...] | None = None
    value: tuple[str, ...] | None = None
    group: str | None = None
    form: Literal["long", "wide"] | None = None
    header: bool | None = None
    channels: tuple[str, ...] | None = None
    common_hz: float | None = None

    def __post_init__(self) -> None:
        for name in ("key", "target", "time", "layout", "delimiter"):
            given = getattr(self, name)
            if given is not None and not isinstance(given, str):
                raise ConfigError(f"{name}= takes a word", got=f"{given!r:.60}", expected="text")
        if self.dates not in (None, "day-first", "month-first"):
            raise ConfigError(
                "dates= says which comes first", got=f"{self.dates!r:.60}", expected=_ORDERS
            )
        if self.dates is not None and self.time is None:
            raise ConfigError(
                "dates= says how a column of times is written",
                got=f"dates={self.dates!r} alone",
                hint="time= with the name of the column",
            )

    def only(self, where: str, *allowed: str) -> None:
        """Raise if an option was given that has no use there.

        Args:
            where: What is read, for the error.
            allowed: Names of the options that have a use.

        Raises:
            ConfigError: Naming the option.
        """
        for field in fields(self):
            if field.name not in allowed and getattr(self, field.name) is not None:
                raise ConfigError(
                    f"{field.name}= has no use for {where}",
                    got=repr(getattr(self, field.name)),
                    hint=f"leaving it out (what may be said: {', '.join(allowed)})",
                )


def several(names: Sequence[str] | None, option: str) -> tuple[str, ...] | None:
    """Return names as a tuple: one word is one name.

    Args:
        names: What the user gave, or None.
        option: The option's name, for the error.

    Raises:
        ConfigError: If there is no name, one that is none, or one twice.

    Example:
        >>> several("left", "value"), several(["a", "b"], "value")
        (('left',), ('a', 'b'))
    """
    if names is None:
        return None
    found = (names,) if isinstance(names, str) else tuple(names)
    if not found or not all(isinstance(n, str) and n for n in found):
        raise ConfigError(f"{option}= takes names", got=repr(names), expected="one or more words")
    if len(set(found)) < len(found):
        raise ConfigError(f"{option}= names one twice", got=", ".join(found))
    return found

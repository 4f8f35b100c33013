"""What a user may say about a file."""

from dataclasses import dataclass, fields
from typing import Literal

from timegrain.core.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """Options of all formats; None where the user said nothing. `load_dataset` explains them."""

    key: str | None = None
    target: str | None = None
    time: str | None = None
    layout: str | None = None
    delimiter: str | None = None
    kind: Literal["real", "tokens"] | None = None

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

"""Flags that say how recordings are cut into cases, shared by every command that cuts them."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Self

from cyclopts import Parameter


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class CaseFlags:
    """What a user says about the cases of a task. Field names are the flags.

    Example:
        >>> CaseFlags(window="2s").options()
        {'window': '2s', 'hop': None, 'ahead': None}
    """

    window: Annotated[
        str | None, Parameter(help="Cut recordings into cases, 128 samples or 2s.")
    ] = None
    hop: Annotated[
        str | None, Parameter(help="From one window's start to the next; else no overlap.")
    ] = None
    ahead: Annotated[
        str | None,
        Parameter(help="Forecast --target so far ahead: 24 samples, or 1h; of an array 0, 1, 2."),
    ] = None

    def options(self) -> dict[str, str | None]:
        """Return these words as keyword arguments of `load_task`."""
        return {"window": self.window, "hop": self.hop, "ahead": self.ahead}

    def as_stored(self, stored: Mapping[str, str | int | None] | None) -> Self:
        """Return the words of a stored network's training, printed, where none is said here.

        Args:
            stored: Of its record; None where it does not know them.

        Example:
            >>> CaseFlags(hop="1s").as_stored({"window": "2s", "hop": None})
            CaseFlags(window=None, hop='1s', ahead=None)
        """
        said = {n: str(v) for n in self.options() if (v := (stored or {}).get(n)) is not None}
        if not said or any(value is not None for value in self.options().values()):
            return self
        words = " ".join(f"--{name} {value}" for name, value in said.items())
        print(f"cases: {words}, as in its training", file=sys.stderr)
        return replace(self, **said)


UNCUT = CaseFlags()

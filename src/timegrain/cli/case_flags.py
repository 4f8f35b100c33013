"""Flags that say how recordings are cut into cases, shared by every command that cuts them."""

from dataclasses import dataclass
from typing import Annotated

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


UNCUT = CaseFlags()

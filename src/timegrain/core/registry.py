"""Named things that load their module only when asked for."""

import difflib
import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from timegrain.core.errors import UnknownNameError


def nearest(name: str, known: Sequence[str], *, count: int = 3) -> list[str]:
    """Return the known names that are like `name`, the nearest first; none if none is.

    Args:
        name: What was typed.
        known: The names that exist.
        count: At most so many.

    Example:
        >>> nearest("s4dd", ["s4d", "s6", "gru"]), nearest("lstm", ["s4d", "s6", "gru"])
        (['s4d'], [])
    """
    lower = dict.fromkeys(k.lower() for k in known)
    near = difflib.get_close_matches(name.lower(), list(lower), n=count, cutoff=0.5)
    return [k for n in near for k in known if k.lower() == n][:count]


def suggest(name: str, known: Sequence[str], *, count: int = 3) -> str | None:
    """Return the names of `nearest` as the end of a sentence; None if no name is near.

    Args:
        name: What was typed.
        known: The names that exist.
        count: At most so many suggestions.

    Example:
        >>> suggest("s4dd", ["s4d", "s6", "gru"])
        's4d'
    """
    return ", ".join(nearest(name, known, count=count)) or None


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One registered name.

    Args:
        name: The name people type.
        target: `module:attribute`, imported on first use.
        summary: One line for listings.
    """

    name: str
    target: str
    summary: str

    def load(self) -> object:
        """Import the module and return the attribute."""
        module, _, attribute = self.target.partition(":")
        return getattr(importlib.import_module(module), attribute)


class Registry:
    """A lazy map from names to objects, with suggestions for misspelt names.

    Args:
        noun: What the names stand for, used in errors: `"model"`.

    Example:
        >>> grids = Registry("grid")
        >>> grids.register("time", "timegrain.core.grid:TimeGrid", "a uniform grid")
        >>> grids.load("time").__name__
        'TimeGrid'
    """

    def __init__(self, noun: str) -> None:
        self.noun = noun
        self._entries: dict[str, Entry] = {}

    def register(self, name: str, target: str, summary: str) -> None:
        """Add a name; importing `target` is put off until `load`."""
        self._entries[name] = Entry(name=name, target=target, summary=summary)

    def load(self, name: str) -> object:
        """Return the object registered as `name`.

        Raises:
            UnknownNameError: If there is no such name; the text suggests the nearest ones.
        """
        return self.entry(name).load()

    def entry(self, name: str) -> Entry:
        """Return the entry registered as `name` without importing its target."""
        if name not in self._entries:
            raise UnknownNameError(
                f"there is no {self.noun} called {name!r}",
                expected=f"one of {', '.join(self.names())}",
                hint=suggest(name, self.names(), count=1),
            )
        return self._entries[name]

    def names(self) -> list[str]:
        """Return the registered names in alphabetical order."""
        return sorted(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries[n] for n in self.names())

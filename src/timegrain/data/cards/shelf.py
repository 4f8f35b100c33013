"""The cards of all shipped sets."""

import functools
from importlib import resources

from timegrain.core.errors import UnknownNameError
from timegrain.core.registry import suggest
from timegrain.data.cards.description import TaskCard
from timegrain.data.cards.reading import parse_card

_SUFFIX = ".toml"


def task_card(name: str) -> TaskCard:
    """Return the card of a shipped set; nothing but the card is read.

    Args:
        name: As listed, in the same case.

    Raises:
        UnknownNameError: If there is no such card; the text suggests the nearest names.
        DataError: If its file is damaged.

    Example:
        >>> task_card("ecg").size.longest
        108000
    """
    if name not in _names():
        raise UnknownNameError(
            f"there is no card called {name!r}",
            expected=f"one of {', '.join(_names())}",
            hint=suggest(str(name), _names(), count=1),
        )
    return _read(name)


def task_cards() -> tuple[TaskCard, ...]:
    """Return the cards of all shipped sets, by name.

    Example:
        >>> len(task_cards()) > 20
        True
    """
    return tuple(_read(name) for name in _names())


def version_of(name: str) -> int | None:
    """Return the version of a shipped set, None where there is no card of that name.

    Args:
        name: Of a dataset.

    Example:
        >>> version_of("GunPoint"), version_of("mine")
        (1, None)
    """
    return _read(name).version if name in _names() else None


@functools.cache
def _names() -> tuple[str, ...]:
    folder = resources.files("timegrain.data.cards")
    files = (entry.name for entry in folder.iterdir())
    return tuple(sorted(file.removesuffix(_SUFFIX) for file in files if file.endswith(_SUFFIX)))


@functools.cache
def _read(name: str) -> TaskCard:
    file = resources.files("timegrain.data.cards") / f"{name}{_SUFFIX}"
    return parse_card(file.read_text(encoding="utf-8"), name=name)

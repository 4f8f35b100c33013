"""Cards from their files."""

import tomllib
from pathlib import Path

from timegrain.core.codec import decode
from timegrain.core.errors import DataError, ResultError, TimegrainError
from timegrain.data.cards.description import TaskCard


def read_card(path: Path) -> TaskCard:
    """Return the card in a TOML file; its name is that of the file.

    Args:
        path: `NAME.toml`, with the fields of `TaskCard` but for the name, and the tables `[size]`,
            `[problem]` and any number of `[[literature]]`.

    Raises:
        DataError: If the file cannot be read, is no TOML, or has an unknown, missing or impossible
            field; the text names the file and the field.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read the card {path.name}", got=str(error)) from error
    return parse_card(text, name=path.name.removesuffix(".toml"))


def parse_card(text: str, *, name: str) -> TaskCard:
    """Return the card in the text of a file.

    Args:
        text: TOML.
        name: Of the set.

    Raises:
        DataError: As `read_card`.
    """
    try:
        fields = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{name}.toml is not TOML", got=str(error)) from error
    if "name" in fields:
        raise DataError(f"{name}.toml says its name again", hint="the file's own name alone")
    try:
        card: TaskCard = decode(TaskCard, {"name": name, **fields}, at="card")
    except ResultError as error:  # the words of the codec, the kind of a file that is wrong
        raise DataError(
            f"{name}.toml: {error.what}", got=error.got, expected=error.expected
        ) from error
    except TimegrainError as error:
        raise error.within(f"{name}.toml") from error
    return card

"""How words become numbers: a fraction is no whole number and is never rounded to one."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cyclopts import Token


def strict(kind: Any, tokens: "Sequence[Token]") -> Any:
    """Convert an option's words to its type, whole numbers from digits alone.

    Args:
        kind: The annotated type of the option.
        tokens: Its words.

    Raises:
        ValueError: If a whole number is wanted and something else is given.
    """
    import cyclopts

    if kind is int and not re.fullmatch(r"[+-]?[0-9]{1,18}", tokens[0].value):
        raise ValueError(f"expected a whole number, got {tokens[0].value!r}")
    return cyclopts.convert(kind, tokens)

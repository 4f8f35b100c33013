"""The one boundary around code that a user wrote and named."""

import contextlib
import importlib
import os
import sysconfig
import traceback
from collections.abc import Iterator
from pathlib import Path

from timegrain.core.errors import TimegrainError

_OURS = str(Path(__file__).parents[1]) + os.sep
_INSTALLED = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)


@contextlib.contextmanager
def users_code(
    name: str, raised: type[TimegrainError], *, doing: str = "failed", hint: str | None = None
) -> Iterator[None]:
    """Run code of a user's; whatever it raises becomes an error that says where it was raised.

    A user's code may raise anything, so anything is caught, here and nowhere else; also
    `SystemExit`, which would end the command without a word. An interrupt, an error of timegrain's
    and one of too little memory pass as they are.

    Args:
        name: Whose code it is, as the user named it.
        raised: The error to raise instead; the original is its cause.
        doing: What failed, as a predicate of the code.
        hint: What to try next.

    Raises:
        TimegrainError: Of the type `raised`, with the original's type and message, and the file
            and line of the innermost frame that is the user's.

    Example:
        >>> with users_code("my_data:load", TimegrainError):
        ...     {}["x"]
        Traceback (most recent call last):
        timegrain.core.errors.TimegrainError: my_data:load failed, got KeyError: 'x'...
    """
    try:
        yield
    except (TimegrainError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        where = _where(error)
        at = f" ({where})" if where else ""
        raise raised(f"{name} {doing}", got=f"{_said(error)}{at}", hint=hint) from error


def _said(error: BaseException) -> str:
    """Return type and message of an error on one line."""
    if isinstance(error, SystemExit):
        return f"sys.exit({error.code!r})"
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    first = lines[0] if lines else ""
    if "TorchScript" in first and len(lines) > 1:  # a traceback of the script's, then the cause
        return lines[-1].rstrip(".")
    name = type(error).__name__
    return f"{name}: {first}".rstrip(".") if first else name


def _where(error: BaseException) -> str:
    """Return file and line of the innermost frame that is the user's; empty if there is none."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f"{_short(error.filename)}, line {error.lineno}"
    outside = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(("<", _OURS, importlib.__path__[0]))
    ]
    own = [f for f in outside if not f.filename.startswith(_INSTALLED)] or outside
    return f"{_short(own[-1].filename)}, line {own[-1].lineno}" if own else ""


def _short(file: str) -> str:
    path = Path(file)
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else file

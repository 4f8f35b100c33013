"""What a reader of a terminal is told: lines of 80 columns, errors with options in shell form."""

import re
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_OPTIONS = {
    "accumulate",
    "ahead",
    "amp",
    "amplitudes",
    "batch_size",
    "channels",
    "common_hz",
    "cures",
    "curvature",
    "d_input",
    "d_model",
    "dates",
    "decimator",
    "delimiter",
    "delta_max",
    "deterministic",
    "detrend",
    "discretization",
    "dt",
    "file_dt",
    "file_hz",
    "form",
    "group",
    "head",
    "header",
    "hop",
    "hz",
    "id",
    "keep",
    "key",
    "kind",
    "layout",
    "length",
    "levels",
    "lr",
    "module",
    "norm",
    "options",
    "patience",
    "plan",
    "protocol",
    "reference",
    "refine",
    "retention",
    "scope",
    "seed",
    "seeds",
    "signal",
    "slope",
    "stages",
    "strides",
    "target",
    "tau",
    "taus",
    "time",
    "tol",
    "tolerance",
    "validation",
    "value",
    "window",
    "windows",
}
_SWITCHES = {"deterministic", "overwrite", "resume"}
_ASSIGNMENT = re.compile(
    # what stands behind a slash, or goes on with one, is a path with an equals sign in it
    r"(?<![\w.'\"(/\\-])([a-z][a-z_]*)=(?![\w.+-]*[/\\])"
    r"(?:'(?P<single>[^']*)'|\"(?P<double>[^\"]*)\"|\((?P<tuple>[^()]*)\)|(?P<word>\.\.\.|[\w.+-]+(?<!\.))?)"
)


_COMMANDS = {"localise": "localise", "remedy": "remedy", "model_continuity": "model"}
_CALL = re.compile(r"\b(localise|remedy|model_continuity)\(model(?:, '(?P<cure>[a-z+]+)')?\)")
_SPOKEN: ContextVar[Callable[[], frozenset[str]] | None] = ContextVar("spoken", default=None)


@contextmanager
def speaking(options: Callable[[], frozenset[str]]) -> Iterator[None]:
    """Say only options of one command in shell form, since another word is none of its flags.

    Args:
        options: Returns their names, as Python spells them; it is called when a text has one.

    Example:
        >>> with speaking(lambda: frozenset({"dt"})):
        ...     shell_form("Try dt=0.1, where tau=1.")
        'Try --dt 0.1, where tau=1.'
    """
    token = _SPOKEN.set(options)
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def for_terminal(text: str, *, width: int = 80) -> str:
    r"""Return an error's text with `name=value` as `--name value`, wrapped.

    Args:
        text: The error as Python shows it; its lines stay lines.
        width: Columns.

    Example:
        >>> print(for_terminal("there are two arrays.\nTry key='data', or strides=(2, 4)."))
        there are two arrays.
        Try --key data, or --strides 2,4.
    """
    return wrapped(shell_form(text), width=width)


def wrapped(text: str, *, width: int = 80) -> str:
    r"""Return a text in lines of a terminal, its words and its own lines left as they are.

    Args:
        text: No error: a path in it may hold an equals sign, as in `length=3/x.npz`.
        width: Columns.

    Example:
        >>> print(wrapped("would train s4d on d/length=3/x.npz", width=20))
        would train s4d on
        d/length=3/x.npz
    """
    lines = [
        textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
        for line in text.splitlines()
    ]
    return "\n".join(part for line in lines for part in (line or [""]))


def shell_form(text: str) -> str:
    """Return a text with `name=value` as `--name value`, and calls that are commands as such.

    Example:
        >>> shell_form("Try layout='bct'.")
        'Try --layout bct.'
        >>> shell_form("remedy(model, 'dilate') cures it")
        'timegrain remedy MODEL --cures dilate cures it'
    """
    return _ASSIGNMENT.sub(_as_option, _CALL.sub(_as_command, text))


def _as_command(match: re.Match[str]) -> str:
    command = f"timegrain {_COMMANDS[match[1]]} MODEL"
    return command if match["cure"] is None else f"{command} --cures {match['cure']}"


def _as_option(match: re.Match[str]) -> str:
    name = match[1]
    if name in _SWITCHES and match["word"] == "True":
        return f"--{name}"
    if name not in _OPTIONS or not _is_spoken(name):
        return match[0]
    option = f"--{name.replace('_', '-')}"
    if match["tuple"] is not None:
        items = [item.strip() for item in match["tuple"].rstrip(", ").split(",")]
        bare = [re.sub(r"^(['\"])([\w./:+-]+)\1$", r"\2", item) for item in items]
        return f"{option} {','.join(bare)}"
    for group in ("single", "double"):
        if match[group] is not None:
            plain = re.fullmatch(r"[\w./:+-]+", match[group])
            return f"{option} {match[group] if plain else repr(match[group])}"
    return f"{option} {match['word']}" if match["word"] else option


def _is_spoken(name: str) -> bool:
    options = _SPOKEN.get()
    return options is None or name in options()

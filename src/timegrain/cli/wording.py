"""What a reader of a terminal is told: lines of 80 columns, errors with options in shell form."""

import re
import textwrap

_OPTIONS = {
    "accumulate",
    "ahead",
    "amp",
    "amplitudes",
    "batch_size",
    "channels",
    "common_hz",
    "d_input",
    "d_model",
    "dates",
    "delimiter",
    "deterministic",
    "detrend",
    "discretization",
    "dt",
    "file_dt",
    "file_hz",
    "form",
    "group",
    "header",
    "head",
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
    "norm",
    "options",
    "patience",
    "plan",
    "protocol",
    "refine",
    "scope",
    "retention",
    "seed",
    "seeds",
    "stages",
    "strides",
    "target",
    "tau",
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
    """Return a text with `name=value` as `--name value` for every option of the command line.

    Example:
        >>> shell_form("Try layout='bct'.")
        'Try --layout bct.'
    """
    return _ASSIGNMENT.sub(_as_option, text)


def _as_option(match: re.Match[str]) -> str:
    name = match[1]
    if name in _SWITCHES and match["word"] == "True":
        return f"--{name}"
    if name not in _OPTIONS:
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

"""Words of the command line turned into values; every parser names its option in its error."""

import json
import math
import re
import sys
from collections.abc import Mapping

from timegrain.core.errors import ConfigError


def names(text: str) -> list[str]:
    """Return the names of a comma list.

    Raises:
        ConfigError: If a name is empty.

    Example:
        >>> names("s4d,s6")
        ['s4d', 's6']
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise ConfigError("a list has an empty name", got=repr(text), expected="names and commas")
    return parts


def numbers(text: str, option: str) -> tuple[float, ...]:
    """Return the numbers of a comma list.

    Raises:
        ConfigError: If a part is no finite number.

    Example:
        >>> numbers("0.1,1,10", "--amplitudes")
        (0.1, 1.0, 10.0)
    """
    try:
        values = tuple(float(part) for part in text.split(","))
    except ValueError:
        values = (math.nan,)
    if not all(math.isfinite(v) for v in values):
        raise ConfigError(f"{option} takes numbers", got=repr(text), expected="such as 0.1,1,10")
    return values


def whole_numbers(text: str, option: str) -> tuple[int, ...]:
    """Return the whole numbers of a comma list.

    Raises:
        ConfigError: If a part is no whole number.

    Example:
        >>> whole_numbers("2,4,8", "--strides")
        (2, 4, 8)
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(re.fullmatch(r"[+-]?[0-9]{1,18}", part) for part in parts):
        raise ConfigError(f"{option} takes whole numbers", got=repr(text), expected="such as 2,4,8")
    return tuple(int(part) for part in parts)


def assignments(text: str | None, option: str) -> dict[str, object]:
    """Return the values of `name=value,name=value`; a value is read as JSON, else as a word.

    Raises:
        ConfigError: If a part has no `=` or a name comes twice.

    Example:
        >>> assignments("n_pairs=16,form=scan", "--options")
        {'n_pairs': 16, 'form': 'scan'}
    """
    values: dict[str, object] = {}
    for part in text.split(",") if text else []:
        name, equals, value = part.partition("=")
        if not (equals and name.strip() and value):
            raise ConfigError(f"{option} takes name=value", got=repr(part))
        if name.strip() in values:
            raise ConfigError(f"{option} names an option twice", got=name.strip())
        values[name.strip()] = _value(value)
    return values


def windows(text: str | None) -> tuple[str, ...] | None:
    """Return the windows of `--windows 32,2s`, or None for `auto` and where nothing was said.

    Raises:
        ConfigError: If a part is neither a whole number nor a time.

    Example:
        >>> windows("32,2s"), windows("auto")
        (('32', '2s'), None)
    """
    if text is None or text == "auto":
        return None
    return lengths(text, "--windows")


def lengths(text: str, option: str) -> tuple[str, ...]:
    """Return the lengths of a comma list: samples, or times with their unit.

    Raises:
        ConfigError: If a part is neither.

    Example:
        >>> lengths("128,2s", "--window")
        ('128', '2s')
    """
    from timegrain.data.duration import check_length

    found = tuple(names(text))
    for part in found:
        check_length(part, option)
    return found


def dials(texts: list[str] | None, retention: int | None) -> dict[str, tuple[float, ...]]:
    """Return what `--dial name=doses` asks for; nothing where it was not given.

    Raises:
        ConfigError: If a dose is none, or `--retention` stands alone or is below 2.

    Example:
        >>> dials(["decimate=1,2"], None)
        {'decimate': (1.0, 2.0)}
    """
    if retention is not None and not (texts and retention >= 2):
        raise ConfigError(
            "--retention takes a stride, beside --dial",
            got=f"{retention}{'' if texts else ' without --dial'}",
            expected="such as --dial noise=inf,20 --retention 4",
        )
    if not texts:
        return {}
    from timegrain.data.dials import parse_dials

    return parse_dials(texts)


def thresholds(text: str | None, known: Mapping[str, str]) -> dict[str, float]:
    """Return what `--fail-under name=number` asks for.

    Args:
        text: The option's text, or None.
        known: The names that may be asked for, with what each means.

    Raises:
        ConfigError: If a name is unknown or a value is no number.

    Example:
        >>> thresholds("horizon=4", {"horizon": "samples"})
        {'horizon': 4.0}
    """
    if text is not None and not text.strip():
        raise ConfigError(
            "--fail-under names no limit", got=repr(text), expected=f"{next(iter(known))}=number"
        )
    return {name: _limit(name, value, known) for name, value in _limits(text)}


def _limits(text: str | None) -> list[tuple[str, object]]:
    return list(assignments(text, "--fail-under").items())


def _limit(name: str, value: object, known: Mapping[str, str]) -> float:
    if name not in known:
        expected = ", ".join(f"{word} ({meaning})" for word, meaning in known.items())
        raise ConfigError("--fail-under knows no such figure", got=name, expected=expected)
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    # a comparison with NaN is never true: such a limit could not fail
    if not abs(number) < sys.float_info.max:
        shown = str(value)[:40]
        raise ConfigError(f"--fail-under {name} takes a finite number", got=shown)
    return float(number)


def _value(text: str) -> object:
    """Return a JSON value, or the text itself where it is none; `.5` is a number, too."""
    try:
        return json.loads(text, parse_constant=lambda word: word)
    except ValueError:
        return float(text) if re.fullmatch(r"[+-]?([0-9]+\.|\.[0-9]+)", text) else text


def at_least_one(value: int, option: str) -> int:
    """Return the value if it is 1 or more.

    Raises:
        ConfigError: If it is not.

    Example:
        >>> at_least_one(2, "--seeds")
        2
    """
    if value < 1:
        raise ConfigError(f"{option} takes a whole number", got=value, expected="1 or more")
    return value

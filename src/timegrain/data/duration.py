"""From a length as people write it to a number of samples."""

import re

import numpy as np

from timegrain.core.errors import ConfigError
from timegrain.data.units import SECONDS, UNKNOWN, meant_unit, plural

LONGEST = 1e12
_LENGTH = re.compile(r"\s*([0-9.]+(?:[eE][-+]?[0-9]+)?)\s*([a-z]*)\s*")


def to_samples(
    length: int | str, dt: float, unit: str, *, word: str = "window", least: int = 1
) -> int:
    """Return a length in samples: the nearest whole number of steps.

    Args:
        length: Samples, as a number or its text, or a time with its unit such as `"2s"`, `"500ms"`.
        dt: Step, in `unit`.
        unit: Time unit of `dt`.
        word: The option, for errors.
        least: The fewest samples that make sense.

    Raises:
        ConfigError: If it is no such length, shorter than `least` samples, or a time where the
            step is unknown.

    Example:
        >>> to_samples("2s", 10.0, "ms"), to_samples("128", 1.0, "sample"), to_samples(64, 1, "s")
        (200, 128, 64)
    """
    value, name = _parse(length, word)
    if name:
        value = value * SECONDS[name] / _seconds(dt, unit, length, word)
    elif value != round(value):
        raise ConfigError(
            f"{word} is a whole number of samples, or a time with its unit",
            got=repr(length),
            hint=f"{_given(word, f'{value:g}s')} for seconds",
        )
    if not value < LONGEST:
        raise ConfigError(
            f"{word} is too long", got=repr(length), expected=f"fewer than {LONGEST:.0e} samples"
        )
    samples = round(value)
    if samples < least:
        raise ConfigError(
            f"{word} is too short",
            got=f"{length!r}, {samples} {plural('sample', samples)} at a step of {dt:g} {unit}",
            expected=f"{least} or more samples",
        )
    return samples


def check_length(length: int | str | None, word: str) -> None:
    """Refuse what can be no length in samples or time, before anything is read.

    Args:
        length: As for `to_samples`, or None.
        word: The option, for errors.

    Raises:
        ConfigError: If it is none.

    Example:
        >>> check_length("90min", "ahead")
    """
    if length is not None:
        _parse(length, word)


def _parse(length: int | str, word: str) -> tuple[float, str]:
    if isinstance(length, int | np.integer) and not isinstance(length, bool):
        return float(length), ""
    found = _LENGTH.fullmatch(length) if isinstance(length, str) else None
    try:
        value = float(found[1]) if found else np.nan
    except ValueError:
        value = np.nan
    if found is None or not np.isfinite(value) or found[2] not in ("", *SECONDS):
        raise ConfigError(
            f"{word} is a number of samples, or a time with its unit",
            got=repr(length),
            expected=f"such as 128, '2s' or '500ms'; units are {', '.join(SECONDS)}",
            hint=_likely(word, value, found[2]) if found and np.isfinite(value) else None,
        )
    return value, found[2]


def _likely(word: str, value: float, unit: str) -> str | None:
    meant = meant_unit(unit)
    return None if meant is None else _given(word, f"{value:g}{meant}")


def _given(word: str, text: str) -> str:
    return f"{word} {text}" if word.startswith("--") else f"{word}={text!r}"


def _seconds(dt: float, unit: str, length: int | str, word: str) -> float:
    if unit in SECONDS:
        return dt * SECONDS[unit]
    why = "the times have no unit" if unit == UNKNOWN else f"a step is {dt:g} {plural(unit, dt)}"
    raise ConfigError(
        f"{word} cannot be a time, since {why}",
        got=repr(length),
        expected="a number of samples",
        hint="giving the step (dt= and unit=, or --hz) as well",
    )

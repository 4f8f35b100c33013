"""Checks of the options of layers and networks."""

import math
import numbers
from collections.abc import Mapping, Sequence

from timegrain.core.errors import ConfigError
from timegrain.core.shown import shown

LARGEST_SEED = 2**64 - 1
LEAST_STEP, LARGEST_STEP = 1e-12, 1e6  # times a ratio and a pole both stay well within float32


def whole(name: str, value: object, *, least: int, most: int | None = None) -> int:
    """Return `value` if it is a whole number within bounds.

    Raises:
        ConfigError: If it is not.

    Example:
        >>> whole("levels", 6, least=1)
        6
    """
    right = isinstance(value, int) and not isinstance(value, bool)
    if not (right and least <= value and (most is None or value <= most)):  # type: ignore[operator]
        kept = isinstance(value, numbers.Integral) and not isinstance(value, bool | int)
        raise ConfigError(
            f"{name} is a whole number",
            got=shown(value),
            expected=f">= {least}" if most is None else f"{least}..{most}",
            hint=f"{name}={int(value)}" if kept else None,  # type: ignore[call-overload]
        )
    return value  # type: ignore[return-value]


def positive_int(name: str, value: object) -> int:
    """Return `value` if it is a whole number >= 1.

    Raises:
        ConfigError: If it is not.
    """
    return whole(name, value, least=1)


def seed_number(seed: object) -> int:
    """Return `seed` if torch and numpy can both be seeded with it.

    Raises:
        ConfigError: If it is not a whole number in `0..2^64 - 1`.
    """
    return whole("seed", seed, least=0, most=LARGEST_SEED)


def flag(name: str, value: object) -> bool:
    """Return `value` if it is True or False; a word such as "no" counts as neither.

    Raises:
        ConfigError: If it is not.
    """
    if not isinstance(value, bool):
        raise ConfigError(
            f"{name} is a yes or no",
            got=shown(value),
            expected="true or false",
            hint=f"{name}=false on the command line, {name}=False in Python",
        )
    return value


def real(name: str, value: object) -> float:
    """Return `value` as a float if it is a real, finite number.

    Raises:
        ConfigError: If it is not.

    Example:
        >>> real("dt", 2)
        2.0
    """
    number = math.nan
    if not isinstance(value, bool) and isinstance(value, numbers.Real):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
    if not math.isfinite(number):
        raise ConfigError(f"{name} is a number", got=shown(value), expected="a finite number")
    return number


def positive_real(name: str, value: object) -> float:
    """Return `value` as a float if it is a finite number above zero.

    Raises:
        ConfigError: If it is not.

    Example:
        >>> positive_real("norm_eps", 1e-5)
        1e-05
    """
    number = real(name, value)
    if number <= 0:
        raise ConfigError(f"{name} is above zero", got=shown(value), expected="> 0")
    return number


def step_range(dt_min: object, dt_max: object) -> tuple[float, float]:
    """Return `(dt_min, dt_max)` if `0 < dt_min <= dt_max`, and both are from 1e-12 to 1e6.

    Raises:
        ConfigError: If they are not.
    """
    low, high = real("dt_min", dt_min), real("dt_max", dt_max)
    if not LEAST_STEP <= low <= high <= LARGEST_STEP:
        raise ConfigError(
            "time scales are drawn between dt_min and dt_max",
            got=f"dt_min={dt_min}, dt_max={dt_max}",
            expected=f"0 < dt_min <= dt_max, from {LEAST_STEP:g} to {LARGEST_STEP:g}",
        )
    return low, high


def fraction(name: str, value: object) -> float:
    """Return `value` if it is in `[0, 1)`.

    Raises:
        ConfigError: If it is not.
    """
    number = real(name, value)
    if not 0 <= number < 1:
        raise ConfigError(f"{name} is a share", got=repr(value), expected="0 <= value < 1")
    return number


def one_of(name: str, value: object, allowed: Sequence[str]) -> str:
    """Return `value` if it is one of `allowed`.

    Raises:
        ConfigError: If it is not.
    """
    if not (isinstance(value, str) and value in allowed):
        raise ConfigError(
            f"{name} is unknown", got=shown(value), expected=f"one of {', '.join(allowed)}"
        )
    return value


def refuse_set_apart(options: Mapping[str, object], set_apart: Mapping[str, str]) -> None:
    """Refuse options of a layer that are set beside them.

    Args:
        options: The options.
        set_apart: Names that may not be among them, with what sets each.

    Raises:
        ConfigError: If one is.

    Example:
        >>> refuse_set_apart({"seed": 1}, {"seed": "seed=... beside them"})
        Traceback (most recent call last):
        timegrain.core.errors.ConfigError: 'seed' is no option of the layer...
    """
    for name in options:
        if name in set_apart:
            raise ConfigError(
                f"{name!r} is no option of the layer, but stands beside them",
                hint=set_apart[name],
            )

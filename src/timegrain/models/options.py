"""Checks of the options of layers and networks."""

from timegrain.core.errors import ConfigError


def positive_int(name: str, value: object) -> int:
    """Return `value` if it is a whole number >= 1.

    Raises:
        ConfigError: If it is not.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(f"{name} counts something", got=repr(value), expected="an integer >= 1")
    return value


def step_range(dt_min: float, dt_max: float) -> tuple[float, float]:
    """Return `(dt_min, dt_max)` if `0 < dt_min <= dt_max`.

    Raises:
        ConfigError: If they are not.
    """
    if not 0 < dt_min <= dt_max < float("inf"):
        raise ConfigError(
            "time scales are drawn between dt_min and dt_max",
            got=f"dt_min={dt_min}, dt_max={dt_max}",
            expected="0 < dt_min <= dt_max",
        )
    return dt_min, dt_max


def fraction(name: str, value: float) -> float:
    """Return `value` if it is in `[0, 1)`.

    Raises:
        ConfigError: If it is not.
    """
    if not 0 <= value < 1:
        raise ConfigError(f"{name} is a share", got=repr(value), expected="0 <= value < 1")
    return value


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    """Return `value` if it is one of `allowed`.

    Raises:
        ConfigError: If it is not.
    """
    if value not in allowed:
        raise ConfigError(
            f"{name} is unknown", got=repr(value), expected=f"one of {', '.join(allowed)}"
        )
    return value

"""Units of time: which are known, and how a time in one of them is written."""

from timegrain.core.table import number

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}

UNKNOWN = "time unit"


def unit_ratio(unit: str, other: str) -> float | None:
    """Return how many `other` one `unit` is; None where that cannot be known.

    Args:
        unit: A unit of time, or `UNKNOWN`, which is taken for any.
        other: A unit of time.

    Example:
        >>> unit_ratio("h", "min"), unit_ratio("time unit", "ms"), unit_ratio("pixel", "s")
        (60.0, 1.0, None)
    """
    if unit in (other, UNKNOWN):
        return 1.0
    if unit in SECONDS and other in SECONDS:
        return SECONDS[unit] / SECONDS[other]
    return None


def plural(unit: str, amount: float) -> str:
    """Return the unit as it stands behind an amount; symbols such as ms have no plural.

    Example:
        >>> plural("month", 2), plural("month", 1), plural("ms", 2)
        ('months', 'month', 'ms')
    """
    return unit if unit in SECONDS or amount == 1 else f"{unit}s"


_MEANT = {
    "d": ("days", "day"),
    "h": ("hours", "hour", "hrs", "hr"),
    "min": ("m", "minutes", "minute", "mins"),
    "s": ("seconds", "second", "secs", "sec"),
    "ms": ("milliseconds", "millisecond", "msec"),
    "us": ("microseconds", "microsecond", "usec", "µs", "μs"),
    "ns": ("nanoseconds", "nanosecond", "nsec"),
}


def meant_unit(word: str) -> str | None:
    """Return the unit that a word most likely means; None for other words.

    Example:
        >>> meant_unit("m"), meant_unit("hours"), meant_unit("px")
        ('min', 'h', None)
    """
    return next((unit for unit, words in _MEANT.items() if word in words), None)


def duration_text(amount: float, unit: str, *, shorter: bool = False) -> str:
    """Return a time as people write it: `7 d` for 604,800 s.

    Args:
        amount: A time.
        unit: Its unit; what is no unit of time stays.
        shorter: Also take a shorter unit, where there is less than 1 of `unit`.

    Example:
        >>> duration_text(604800, "s"), duration_text(43, "h"), duration_text(10.2, "s")
        ('7 d', '43 h', '10.2 s')
        >>> duration_text(7260.0, "s"), duration_text(2, "pixel"), duration_text(0.08, "s")
        ('2.02 h', '2 pixels', '0.08 s')
        >>> duration_text(0.0125, "s", shorter=True)
        '12.5 ms'
    """
    if unit not in SECONDS or amount == 0:
        return f"{number(amount)} {plural(unit, amount)}"
    seconds = abs(amount) * SECONDS[unit]
    fitting = [u for u in SECONDS if seconds >= SECONDS[u] * (2 if u == "d" else 1)]
    best = fitting[-1] if fitting else "ns"
    if SECONDS[best] < SECONDS[unit] and not (shorter or unit == "d"):
        best = unit
    return f"{number(amount * SECONDS[unit] / SECONDS[best])} {best}"

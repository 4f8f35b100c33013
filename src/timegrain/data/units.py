"""Units of time: which are known, and how a time in one of them is written."""

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

"""Numbers as text for people: never NaN, never a missing value without its reason."""

import math
from dataclasses import dataclass

from timegrain.report.figures.scales import power_of_ten

MISSING = "—"
_MINUS = "−"


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One cell of a table.

    Args:
        text: What is printed.
        title: What more is said on pointing at it, such as why there is no value.
        more: A second line in smaller type, such as an interval.
        again: Repeats the cell above.
        alarm: In the first cell of a row: the row says that something failed, and stands out.
    """

    text: str
    title: str = ""
    more: str = ""
    again: bool = False
    alarm: bool = False


def significant(value: float, digits: int = 3) -> str:
    """Return a finite number in so many significant digits, small ones as powers of ten.

    Example:
        >>> significant(0.00042451), significant(16.0), significant(-0.25)
        ('4.25 × 10⁻⁴', '16', '−0.250')
    """
    if value == 0:
        return "0"
    sign, size = (_MINUS if value < 0 else ""), abs(float(f"{value:.{digits - 1}e}"))
    if float(value).is_integer() and abs(value) < 1e6:
        return f"{sign}{abs(int(value)):,}"
    exponent = math.floor(math.log10(size))
    if exponent < -3 or exponent > 5:
        return f"{sign}{size / 10.0**exponent:.{digits - 1}f} × {power_of_ten(exponent)}"
    return f"{sign}{size:.{max(digits - 1 - exponent, 0)}f}"


def fixed(value: float, digits: int = 2) -> str:
    """Return a number with so many decimals and a true minus sign.

    Example:
        >>> fixed(-0.125, 2), fixed(-0.0001, 2)
        ('−0.12', '0.00')
    """
    text = f"{value:.{digits}f}"
    if not text.strip("-0."):
        return text.lstrip("-")
    return text.replace("-", _MINUS)


def near_one(value: float, like: float | None = None) -> str:
    """Return a share with as many decimals as show how far it is from 1.

    Args:
        value: The share.
        like: Take the decimals from this one, so that an interval fits its value.

    Example:
        >>> near_one(0.99957549), near_one(0.904)
        ('0.99958', '0.904')
    """
    gap = abs(1 - (value if like is None else like))
    digits = 3 if gap >= 0.01 else min(6, 1 - math.floor(math.log10(max(gap, 1e-8))))
    return fixed(value, digits)


def cell(value: float | None, *, why: str = "", digits: int = 3) -> Cell:
    """Return a number as a cell, or an em dash that carries the reason.

    Args:
        value: May be None or not finite: then there is no value.
        why: Why there is none.
        digits: Significant digits.
    """
    if value is None or not math.isfinite(value):
        return Cell(text=MISSING, title=why or "not measured")
    return Cell(text=significant(value, digits))


def between(low: float, high: float, *, digits: int = 2) -> str:
    """Return an interval as text.

    Example:
        >>> between(0.998, 1.006, digits=3)
        '0.998 to 1.006'
    """
    return f"{fixed(low, digits)} to {fixed(high, digits)}"

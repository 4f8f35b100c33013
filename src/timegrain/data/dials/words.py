"""Doses as people write them."""

import math
from collections.abc import Iterable, Mapping
from typing import SupportsFloat

from timegrain.core.errors import ConfigError
from timegrain.data.dials.kinds import Dial, load_dial


def parse_dials(texts: Iterable[str]) -> dict[str, tuple[float, ...]]:
    """Return the doses of `window_shuffle=1,2,4;noise=inf,20`, by dial.

    Args:
        texts: Each one or several dials, separated by `;`.

    Raises:
        ConfigError: If a part is no `name=doses`, a dial comes twice, or a dose is none.
        UnknownNameError: If there is no such dial.

    Example:
        >>> parse_dials(["decimate=1,2; noise=inf,20"])
        {'decimate': (1.0, 2.0), 'noise': (inf, 20.0)}
    """
    found: dict[str, tuple[float, ...]] = {}
    for part in (p.strip() for text in texts for p in text.split(";")):
        if not part:
            continue
        name, equals, doses = (p.strip() for p in part.partition("="))
        if not (name and equals and doses):
            raise ConfigError(
                "--dial takes a name and doses", got=repr(part), expected="such as noise=inf,20,10"
            )
        if name in found:
            raise ConfigError("a dial is turned twice", got=name, expected="one list of doses")
        found[name] = check_doses(load_dial(name), [_number(d, name) for d in doses.split(",")])
    return found


def check_dials(doses: Mapping[str, Iterable[float]]) -> dict[str, tuple[float, ...]]:
    """Return doses by dial, each a number its dial can be turned to.

    Raises:
        ConfigError: If there is none, or a dose is outside its domain.
        UnknownNameError: If there is no such dial.
    """
    if not doses:
        raise ConfigError("no dial to turn", got="none", hint="{'noise': (20, 10)}")
    return {name: check_doses(load_dial(name), values) for name, values in doses.items()}


def check_doses(dial: Dial, doses: Iterable[float]) -> tuple[float, ...]:
    """Return the doses of one dial as different numbers in the order given.

    Raises:
        ConfigError: If there is none, one comes twice, or one is outside the dial's domain.
    """
    values = tuple(float(d) for d in doses)
    if not values or len(set(values)) < len(values):
        raise ConfigError(
            f"the dial {dial.name} takes different doses",
            got=list(values),
            expected="one or more, each once",
        )
    for value in values:
        check_dose(dial, value)
    return values


def check_dose(dial: Dial, dose: float) -> float:
    """Return a dose, unless the dial cannot be turned to it.

    Raises:
        ConfigError: If it is outside the dial's domain.
    """
    if isinstance(dose, bool | str | bytes) or not isinstance(dose, SupportsFloat):
        raise ConfigError(
            f"the dial {dial.name} takes numbers", got=f"{dose!r:.60}", expected="such as 1, 2 or 4"
        )
    inside = dose >= 1 and float(dose).is_integer() and dose < 2**53
    if dial.whole and not inside:
        raise ConfigError(
            f"the dial {dial.name} is turned to whole numbers", got=dose, expected="1, 2, 4, ..."
        )
    if math.isnan(dose) or dose == -math.inf:
        raise ConfigError(f"the dial {dial.name} takes numbers", got=dose)
    if not dial.low <= dose <= dial.high:
        raise ConfigError(
            f"the dial {dial.name} is not turned so far",
            got=dose,
            expected=f"{dial.low:g} to {dial.high:g}",
        )
    return float(dose)


def dose_text(dose: float) -> str:
    """Return a dose as people write it: `4`, `2.5`, and `none` for no noise at all.

    Example:
        >>> dose_text(4.0), dose_text(float("inf"))
        ('4', 'none')
    """
    return "none" if math.isinf(dose) else f"{dose:g}"


def _number(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise ConfigError(
            f"the dial {name} takes numbers", got=repr(text.strip()), expected="such as 1,2,4,8"
        ) from error

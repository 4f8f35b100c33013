"""The registered dials."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from timegrain.core.registry import Registry
from timegrain.data.dataset import Dataset

dials = Registry("dial")


@dataclass(frozen=True, kw_only=True)
class Dial:
    """A property of a dataset that can be turned.

    Args:
        name: What people type.
        turn: `turn(data, dose, seed=...)` gives the dataset at a dose.
        untouched: The dose that changes nothing.
        unit: Of the dose.
        whole: Doses are whole numbers >= 1.
        meaning: What a dose does, as a clause: `samples shuffled within windows of so many`.
        low: The smallest dose.
        high: The largest.
    """

    name: str
    turn: Callable[..., Dataset]
    untouched: float
    unit: str
    whole: bool
    meaning: str
    low: float = -math.inf
    high: float = math.inf


for _name, _target, _summary in (
    ("window_shuffle", "shuffle:DIAL", "shuffle samples within windows: 1,2,4,8 samples"),
    ("noise", "noise:DIAL", "add white noise: inf,30,20,10 decibels"),
    ("decimate", "thin:DIAL", "keep every k-th sample, unfiltered: 1,2,4,8"),
    ("eta", "symbols:DIAL", "observe forecasts of systems as symbols: 0,.25,.5,.75,1"),
):
    dials.register(_name, f"timegrain.data.dials.{_target}", _summary)


def load_dial(name: str) -> Dial:
    """Return a registered dial.

    Raises:
        UnknownNameError: If there is none of that name.

    Example:
        >>> load_dial("decimate").untouched
        1.0
    """
    dial = dials.load(name)
    if not isinstance(dial, Dial):
        raise TypeError(f"{name} registers {type(dial).__name__}, not a Dial")
    return dial

"""Channels in numbers whose squares are floats."""

from dataclasses import replace

import numpy as np

from timegrain.continuity.retention.cases import Cases
from timegrain.stats.magnitude import power_of_two

_FAR = 2.0**400
"""Squares of numbers that are smaller, down to the rounding of the inverse, are floats."""


def evened(made: Cases) -> Cases:
    """Return the cases with channels of a far size divided by a power of two, which is exact.

    Their labels stay as they are, and so do the cases themselves where no channel needs it.

    Args:
        made: The cases; their recordings are what is read at every stride.
    """
    if made.cases.kind == "tokens":
        return made
    unit = power_of_two(np.array([power_of_two(c) for c in made.cases.sequences]))
    unit = np.where((unit > 1 / _FAR) & (unit < _FAR), 1.0, unit)
    if (unit == 1).all():
        return made
    scaled = tuple(s / unit for s in made.recordings.sequences)
    return replace(made, recordings=replace(made.recordings, sequences=scaled))

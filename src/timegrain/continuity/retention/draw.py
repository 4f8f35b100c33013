"""Fewer cases, drawn so that groups and classes keep their shares."""

import numpy as np
from jaxtyping import Int64
from numpy.random import Generator

from timegrain.continuity.retention.cases import Cases, varied
from timegrain.core.seeds import stream
from timegrain.data.together import units


def capped(made: Cases, max_cases: int, seed: int) -> Cases:
    """Return at most `max_cases` cases, as many of each group and class as it had in proportion.

    Where there are no more classes than that, every class keeps a case.

    Args:
        made: All cases.
        max_cases: How many may stay.
        seed: Of the draw.

    Raises:
        DataError: If all that were drawn have one value.
    """
    total = len(made)
    if total <= max_cases:
        return made
    random = stream(seed, "cases")
    classes = made.y if made.class_names else np.zeros(total, dtype=np.int64)
    found = units(made.cases)
    own = found.of if found.count < total else np.zeros(total, dtype=np.int64)
    order = np.lexsort((random.permutation(total), classes, own))
    if found.way == "time":
        order = np.argsort(found.of)
    places = np.floor((np.arange(max_cases) + random.random()) * total / max_cases)
    kept, rare = _with_every_class(order[places.astype(np.int64)], classes, random)
    groups = f", in proportion from {found.count} {found.way}s" if found.count < total else ""
    noun = "rare class" if rare == 1 else "rare classes"
    also = f"; so that none is lost, a case was put in of {rare:,} {noun}" if rare else ""
    note = f"{max_cases:,} of {total:,} cases were drawn{groups} (seed {seed}){also}"
    return varied(made.chosen(np.sort(kept), note), f"of the {max_cases:,} drawn from {total:,}")


def _with_every_class(
    kept: Int64[np.ndarray, " kept"], classes: Int64[np.ndarray, " case"], random: Generator
) -> tuple[Int64[np.ndarray, " kept"], int]:
    """Return a draw in which a case of every class it lost takes the place of a common one."""
    present = np.unique(classes)
    lost = np.setdiff1d(present, classes[kept])
    if len(present) > len(kept):
        return kept, 0
    kept = kept.copy()
    for c in lost:
        commonest = np.bincount(classes[kept]).argmax()
        place = random.choice(np.flatnonzero(classes[kept] == commonest))
        kept[place] = random.choice(np.flatnonzero(classes == c))
    return kept, len(lost)

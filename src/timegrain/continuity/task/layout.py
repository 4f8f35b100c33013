"""Axes named by the user: which axis is the batch, the time and the channel."""

from typing import Literal, get_args

import numpy as np

from timegrain.core.errors import DataError, LayoutError
from timegrain.core.registry import suggest

Layout = Literal["btc", "bct", "bt", "tc", "ct", "t"]

_WORDS = {"b": "batch", "t": "time", "c": "channel"}


def check_layout(layout: str) -> None:
    """Raise unless `layout` is one that is known.

    Raises:
        LayoutError: Naming the layouts there are.
    """
    known = get_args(Layout)
    if layout not in known:
        near = suggest(str(layout), known, count=1)
        raise LayoutError(
            "unknown layout",
            got=repr(layout),
            expected=", ".join(known),
            hint=f"layout={near!r}" if near in known else None,
        )


def batch_time_channel(x: np.ndarray, layout: str) -> np.ndarray:
    """Return an array as `(batch, time, channel)`, a view where that is possible.

    Args:
        x: One, two or three axes.
        layout: Their names. `"btc"`, the default of the public functions, also takes one axis
            (one series) and two (batch, time).

    Raises:
        LayoutError: If the number of axes does not fit.
    """
    if layout == "btc" and x.ndim in (1, 2):
        layout = "t" if x.ndim == 1 else "bt"
    if x.ndim != len(layout):
        raise LayoutError(
            f"layout {layout!r} does not fit the array",
            got=f"{x.ndim} axes, shape {x.shape}",
            expected=_spell(layout),
            hint="layout= with one letter an axis, such as " + _example(x.ndim),
        )
    order = [layout.index(axis) for axis in "btc" if axis in layout]
    x = x.transpose(order)
    if "b" not in layout:
        x = x[None]
    return x if "c" in layout else x[..., None]


def time_channel(x: np.ndarray, layout: str, *, name: str) -> np.ndarray:
    """Return one item of a ragged list as `(time, channel)`.

    Args:
        x: One or two axes.
        layout: The layout of the list; `"btc"` and `"tc"` take `(time,)` and `(time, channel)`.
        name: Which item, for errors.

    Raises:
        LayoutError: If the number of axes does not fit.
    """
    inner = layout.replace("b", "")
    if x.ndim == 1 and inner in ("tc", "t"):
        return x[:, None]
    if x.ndim != len(inner):
        raise LayoutError(
            f"{name} does not fit layout {layout!r}",
            got=f"{x.ndim} axes, shape {x.shape}",
            expected=_spell(inner),
        )
    return x.T if inner == "ct" else x


def other_layout(layout: str, shape: tuple[int, int, int]) -> tuple[str, int] | None:
    """Return the layout that would read a longer axis as time, and that axis' length.

    Args:
        layout: The one that was used.
        shape: Batch, time and channel as it read them.

    Example:
        >>> other_layout("btc", (50, 2, 400)), other_layout("bt", (6000, 3, 1))
        (('bct', 400), ('tc', 6000))
    """
    batch, time, channel = shape
    swapped = {"btc": "bct", "bct": "btc", "tc": "ct", "ct": "tc"}.get(layout)
    if swapped is not None and channel > time:
        return swapped, channel
    return ("tc", batch) if layout == "bt" and batch > time else None


def check_not_empty(x: np.ndarray, *, name: str) -> None:
    """Raise if an axis has no entry.

    Raises:
        DataError: With the shape.
    """
    if not x.size:
        raise DataError(f"{name} is empty", got=f"shape {x.shape}", expected="at least one sample")


def _spell(layout: str) -> str:
    return "(" + ", ".join(_WORDS[axis] for axis in layout) + ")"


def _example(axes: int) -> str:
    return {1: "'t'", 2: "'bt' or 'tc'", 3: "'btc' or 'bct'"}.get(axes, "'btc' after a reshape")

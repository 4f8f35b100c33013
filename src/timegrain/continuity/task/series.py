"""Sequences laid out flat, as the kernels read them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float64, Int64

from timegrain.continuity.task.arrays import Kind, as_array
from timegrain.continuity.task.joined import joined
from timegrain.continuity.task.layout import (
    batch_time_channel,
    check_layout,
    check_not_empty,
    other_layout,
    time_channel,
)
from timegrain.continuity.task.timestamps import flat_times
from timegrain.core.errors import ConfigError, DataError, LayoutError
from timegrain.data.arrays import exact_floats, is_sequence_list, origin_note
from timegrain.data.dataset import Dataset
from timegrain.data.layout import axes_note, looks_transposed


@dataclass(frozen=True, kw_only=True, eq=False)
class Series:
    """Sequences one after the other in one array.

    Args:
        values: Shape `(sample, channel)`; float32 or float64, or int64 for tokens.
        lengths: Samples of each sequence, shape `(sequence,)`.
        times: Instants, shape `(sample,)`; empty on a uniform grid.
        channel_names: One name a channel.
        kind: `"real"` or `"tokens"`.
        notes: What a reader should know about how the input was read.
        other: Another layout, and how long its time axis is, where that is longer.
    """

    values: np.ndarray
    lengths: Int64[np.ndarray, " sequence"]
    times: Float64[np.ndarray, " sample"]
    channel_names: tuple[str, ...]
    kind: Kind
    notes: tuple[str, ...] = ()
    other: tuple[str, int] | None = None

    @property
    def rounding(self) -> float:
        """Spacing of the values' type at 1; 0 for tokens, which are exact."""
        return 0.0 if self.kind == "tokens" else float(np.finfo(self.values.dtype).eps)


def read_series(
    x: Any,
    *,
    layout: str,
    kind: Kind,
    times: Any = None,
    channel_names: Sequence[str] | None = None,
) -> Series:
    """Return the user's data as flat sequences.

    Args:
        x: An array or tensor, or a list of `(time,)` or `(time, channel)` arrays.
        layout: Names of the axes.
        kind: `"real"` or `"tokens"`.
        times: Instants, or None.
        channel_names: One name a channel, or None for their indices.

    Raises:
        ConfigError: If the channel names are wrong.
        DataError: If the values cannot be used, or are a loaded dataset.
        GridError: If the times cannot be used.
        LayoutError: If the axes do not fit.
    """
    _refuse_dataset(x)
    check_layout(layout)
    notes: tuple[str, ...] = ()
    if is_sequence_list(x):
        values, lengths, notes = _from_list(x, layout, kind)
        letters = layout
    else:
        if isinstance(x, list | tuple) and not x:
            raise DataError("no sequences", got="an empty list", expected="at least one sequence")
        array = as_array(x, name="x", kind=kind)
        values, lengths, moved = _from_array(array, layout, kind)
        letters = {1: "t", 2: "bt"}.get(array.ndim, layout) if layout == "btc" else layout
        notes = (*_axes_note(array, layout), *moved)
    if kind == "tokens" and values.shape[1] != 1:
        raise LayoutError(
            "tokens have no channel axis",
            got=f"{values.shape[1]} channels",
            expected="(batch, time)",
        )
    return Series(
        values=values,
        lengths=lengths,
        times=np.empty(0) if times is None else flat_times(times, lengths.tolist()),
        channel_names=_names(channel_names, values.shape[1]),
        kind=kind,
        notes=notes + (_integers_note(values) if kind == "real" else ()),
        other=other_layout(letters, (len(lengths), int(lengths.max()), values.shape[1])),
    )


_Flat = tuple[np.ndarray, Int64[np.ndarray, " sequence"], tuple[str, ...]]


def _from_array(x: np.ndarray, layout: str, kind: Kind) -> _Flat:
    x = batch_time_channel(x, layout)
    check_not_empty(x, name="x")
    batch, time, channel = x.shape
    flat = x.reshape(batch * time, channel)
    notes: tuple[str, ...] = ()
    if kind == "real":
        (flat,), origin = exact_floats([flat], name="x")
        notes = origin_note(origin)
    return flat, np.full(batch, time, dtype=np.int64), notes


def _from_list(x: Sequence[Any], layout: str, kind: Kind) -> _Flat:
    names = [f"sequence {i}" for i in range(len(x))]
    arrays = [as_array(item, name=n, kind=kind) for item, n in zip(x, names, strict=True)]
    items = [time_channel(a, layout, name=n) for a, n in zip(arrays, names, strict=True)]
    channels = {item.shape[1] for item in items}
    if len(channels) > 1:
        raise LayoutError(
            "sequences differ in their channels", got=sorted(channels), expected="one number"
        )
    lengths = np.array([len(item) for item in items], dtype=np.int64)
    notes: tuple[str, ...] = ()
    if kind == "real":
        floats, origin = exact_floats(items, name="x")
        items, notes = list(floats), origin_note(origin)
    values = joined(items)
    check_not_empty(values, name="x")
    return values, lengths, notes


def _names(names: Sequence[str] | None, channels: int) -> tuple[str, ...]:
    if names is None:
        return tuple(str(i) for i in range(channels))
    if isinstance(names, str) or not all(isinstance(n, str) for n in _items(names)):
        raise ConfigError("channel names are a list of words", got=repr(names))
    if len(names) != channels:
        raise ConfigError(
            "channel names do not fit", got=f"{len(names)} names", expected=f"{channels}"
        )
    if len(set(names)) < len(names):
        raise ConfigError("channel names must differ", got=list(names))
    return tuple(str(n) for n in names)


def _items(names: object) -> Iterator[object]:
    return iter(names) if isinstance(names, Iterable) else iter((names,))


def _axes_note(x: np.ndarray, layout: str) -> tuple[str, ...]:
    """Two axes are (batch, time) by convention; say so where it looks like the other way."""
    if layout != "btc" or (x.ndim == 2 and not looks_transposed(x.shape)):
        return ()
    note = axes_note(x.shape)
    return (note,) if note else ()


def _refuse_dataset(x: Any) -> None:
    if isinstance(x, Dataset):
        raise DataError(
            "task_continuity() measures arrays, and a loaded dataset brings its own step and names",
            got=f"the dataset {x.name!r}",
            hint="timegrain.dataset_continuity(dataset)",
        )


def _integers_note(values: np.ndarray) -> tuple[str, ...]:
    head = values[:65_536]
    head = head[~np.isnan(head)]
    few = np.unique(head[:4096])
    if not 2 <= len(few) <= 32 or not bool((head == np.rint(head)).all()):
        return ()
    if len(distinct := np.unique(head)) > 32:
        return ()
    text = (
        f"{len(distinct)} distinct whole numbers read as sizes; "
        "if they are symbols, say kind='tokens'"
    )
    return (text,)

"""What `target` names where something is forecast: a channel, or a label beside the channels."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from timegrain.core.errors import ConfigError, DataError, TimegrainError
from timegrain.data.dataset import Dataset
from timegrain.data.memory import release
from timegrain.data.targets import channel_word, no_channel, numbered_channel

MOST_CLASSES = 20
_BLOCK = 1 << 16


def load_to_forecast(
    load: Callable[[str | None], Dataset], target: str | int | None
) -> tuple[Dataset, str | None]:
    """Return a dataset, and the channel to forecast where `target` names one.

    A column of numbers is a channel: its later values are forecast, as numbers, and its past ones
    are among what is forecast from. Channels without names, as those of an array, go by their
    numbers from 0. A column of words, or an array beside the sequences, is read as the label, and
    its later classes are forecast from the channels alone.

    Args:
        load: Reads the data, with the column or array of that name as the label.
        target: What is to be forecast; None where the data say it.

    Raises:
        ConfigError: If there is no such channel.
        DataError: If the label is one a sequence.
        TimegrainError: As `load` does.

    Example:
        >>> ramp = Dataset(
        ...     name="ramp", sequences=(np.arange(40.0)[:, None] * 0.5,), channel_names=("x",)
        ... )
        >>> load_to_forecast(lambda column: ramp, "x")[1]
        'x'
    """
    if target is None:
        return load(None), None
    target = channel_word(target)
    try:
        data = load(None)
    except DataError as error:
        # words, unless another column is at fault, which reading the label then says again
        found = load(target)
        if _numbers_with_a_fault(found):
            raise error from None
        return _changing(found, target), None
    channel = numbered_channel(data, target)
    if channel is None:
        return _changing(_with_label(load, data, target), target), None
    return _said(data, target, channel), target


def _with_label(load: Callable[[str | None], Dataset], data: Dataset, target: str) -> Dataset:
    try:
        return load(target)
    except TimegrainError as error:
        # what has no names of its own, or nothing beside the channels, has a channel to name only
        if data.channel_names and not isinstance(error, ConfigError):
            raise
        raise no_channel(data, target) from None


def _changing(data: Dataset, target: str) -> Dataset:
    if data.labels is not None:
        raise DataError(
            f"{target!r} of {data.name!r} cannot be forecast: it is one a sequence, and does not "
            "change along it",
            hint="no ahead=, which predicts it from a sequence or a window",
        )
    return data


def _numbers_with_a_fault(data: Dataset) -> bool:
    """Tell whether most classes are numbers: a channel in which some cells are wrong."""
    names = data.class_names
    return 2 * sum(map(_is_number, names)) > len(names)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _said(data: Dataset, target: str, channel: int) -> Dataset:
    """Return the data with a note where the channel looks like numbers of classes."""
    if data.kind == "tokens":
        return data
    seen: set[float] = set()
    for sequence in data.sequences:
        # what is mapped from a file is not held
        for at in range(0, len(sequence), _BLOCK):
            values = sequence[at : at + _BLOCK, channel]
            seen.update(np.unique(values[~np.isnan(values)]).tolist())
            release(sequence)
            if len(seen) > MOST_CLASSES or not all(v == np.round(v) for v in seen):
                return data
    name = target if data.channel_names else f"channel {target}"
    note = (
        f"{name} is forecast as a number, from its past values too; where its {len(seen)} "
        "different whole numbers stand for classes, write them as words"
    )
    return replace(data, notes=(*data.notes, note))

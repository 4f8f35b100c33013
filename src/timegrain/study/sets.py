"""Datasets, or single channels of them, by name."""

from dataclasses import replace
from typing import TYPE_CHECKING

from timegrain.core.errors import UnknownNameError
from timegrain.core.registry import suggest

if TYPE_CHECKING:
    from timegrain.data.dataset import Dataset


def load_set(name: str) -> "Dataset":
    """Return a shipped dataset, or with `name/channel` one channel of it as a set of its own.

    Args:
        name: Such as `"ecg"` or `"weather/Wspd"`.

    Raises:
        UnknownNameError: If there is no such set, or it has no such channel.

    Example:
        >>> load_set("weather/Wspd").n_channels
        1
    """
    from timegrain.data.load import load_dataset

    whole, _, channel = name.partition("/")
    data = load_dataset(whole)
    if not channel:
        return data
    if channel not in data.channel_names:
        raise UnknownNameError(
            f"{whole} has no channel called {channel!r}",
            expected=f"one of {', '.join(data.channel_names)}" if data.channel_names else None,
            hint=suggest(channel, data.channel_names, count=1) or whole,
        )
    index = data.channel_names.index(channel)
    return replace(
        data,
        name=name,
        sequences=tuple(s[:, [index]] for s in data.sequences),
        channel_names=(channel,),
    )

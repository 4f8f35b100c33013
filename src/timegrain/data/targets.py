"""What is to be predicted at each sample: a target that stands beside it, or a later value."""

from dataclasses import dataclass

import numpy as np

from timegrain.core.errors import ConfigError, DataError
from timegrain.data.dataset import Dataset
from timegrain.data.units import plural


@dataclass(frozen=True, kw_only=True, eq=False)
class SampleTargets:
    """One target a sample of every sequence.

    Args:
        values: For each sequence `(time - ahead,)`: the target that belongs to a case whose last
            sample is that one; int64 numbers of classes, -1 where unknown, or floats with NaN
            there.
        class_names: Of the classes; empty for values.
        words: What they are to a window, such as `level 24 samples after its last`.
    """

    values: tuple[np.ndarray, ...]
    class_names: tuple[str, ...]
    words: str


def sample_targets(
    data: Dataset, *, ahead: int | None = None, target: str | int | None = None
) -> SampleTargets:
    """Return the targets of samples.

    Args:
        data: With targets a sample, or with a channel to forecast.
        ahead: Samples after the one a prediction is made at; None for targets at that sample.
        target: The channel to forecast, by number where channels have no names; not needed where
            there is one, or where the data have targets.

    Raises:
        ConfigError: If the channel is not said or unknown, or `ahead < 1`.
        DataError: If a sequence ends before its first forecast.

    Example:
        >>> ramp = Dataset(name="ramp", sequences=(np.arange(4.0)[:, None],))
        >>> sample_targets(ramp, ahead=2).values[0].tolist()
        [2.0, 3.0]
    """
    if ahead is None:
        if target is not None:
            raise ConfigError(
                "a channel is predicted some time ahead",
                got=f"target={target!r} without ahead",
                hint="ahead=1 for the next sample",
            )
        if data.targets is None:
            raise DataError(f"{data.name!r} has no target a sample")
        return SampleTargets(
            values=data.targets, class_names=data.class_names, words="the target at its last sample"
        )
    if ahead < 1:
        raise ConfigError(
            "a forecast looks ahead", got=f"ahead={ahead}", expected="1 or more samples"
        )
    now, names, words = _source(data, target)
    short = min(len(v) for v in now)
    if short <= ahead:
        raise DataError(
            f"a sequence of {data.name!r} ends before its first forecast",
            got=f"{short} samples, {ahead} ahead",
        )
    return SampleTargets(
        values=tuple(v[ahead:] for v in now),
        class_names=names,
        words=f"{words} {ahead} {plural('sample', ahead)} after its last",
    )


def _source(
    data: Dataset, target: str | int | None
) -> tuple[tuple[np.ndarray, ...], tuple[str, ...], str]:
    if data.targets is not None and target is None:
        return data.targets, data.class_names, "the target"
    if data.kind == "tokens":
        if target is not None:
            raise ConfigError("symbols have no channels", got=f"target={target!r}")
        size = len(data.vocabulary) or max(int(s.max()) for s in data.sequences) + 1
        names = data.vocabulary or tuple(str(i) for i in range(size))
        return data.sequences, names, "the symbol"
    channel = _channel(data, target)
    name = data.channel_names[channel] if data.channel_names else f"channel {channel}"
    return tuple(s[:, channel] for s in data.sequences), (), name


def channel_word(target: str | int) -> str:
    """Return what names a channel as text.

    Args:
        target: A name, or a number from 0.

    Raises:
        ConfigError: If it is neither.

    Example:
        >>> channel_word(2), channel_word("level")
        ('2', 'level')
    """
    if isinstance(target, str):
        return target
    if isinstance(target, bool) or not isinstance(target, int | np.integer):
        raise ConfigError("target= takes a word, or the number of a channel", got=f"{target!r:.60}")
    return str(int(target))


def label_word(target: str | int | None) -> str | None:
    """Return the name of a label, where nothing is forecast.

    Raises:
        ConfigError: If it is a number, which only names a channel to forecast.
    """
    if target is None or isinstance(target, str):
        return target
    raise ConfigError(
        "target= takes a word: the column or the array of labels",
        got=f"{target!r:.60}",
        hint="ahead= with it, where the channel of that number is to be forecast",
    )


def numbered_channel(data: Dataset, target: str) -> int | None:
    """Return the number of the channel that is meant; None where there is none of that name.

    Args:
        data: The data.
        target: A name; where channels have none, a number from 0.
    """
    names = _names(data)
    return names.index(target) if target in names else None


def no_channel(data: Dataset, target: str | None) -> ConfigError:
    """Return the error of a channel that is not there, or was not said.

    Args:
        data: The data.
        target: What was said.
    """
    names = _names(data)
    return ConfigError(
        f"which channel of {data.name!r} is to be forecast?"
        if target is None
        else f"{data.name!r} has no such channel",
        got=None if target is None else repr(target),
        expected=f"target= one of {', '.join(names[:12])}{', ...' if len(names) > 12 else ''}",
    )


def _names(data: Dataset) -> tuple[str, ...]:
    return data.channel_names or tuple(str(i) for i in range(data.n_channels))


def _channel(data: Dataset, target: str | int | None) -> int:
    if target is None:
        if data.n_channels == 1:
            return 0
        raise no_channel(data, None)
    word = channel_word(target)
    found = numbered_channel(data, word)
    if found is None:
        raise no_channel(data, word)
    return found

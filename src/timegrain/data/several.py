"""`load_datasets`: all rates of a file, each on its own grid."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypedDict, Unpack

from timegrain.data.dataset import Dataset
from timegrain.data.generated.generator import Generator
from timegrain.data.load import load_dataset
from timegrain.data.readers.options import several
from timegrain.data.resolve import resolve


class LoadWords(TypedDict, total=False):
    """The keyword arguments of `load_dataset`."""

    key: str | None
    target: str | None
    time: str | None
    dates: Literal["day-first", "month-first"] | None
    layout: str | None
    delimiter: str | None
    kind: Literal["real", "tokens"] | None
    dt: float | str | None
    hz: float | None
    unit: str | None
    id: str | Sequence[str] | None
    value: Sequence[str] | None
    group: str | None
    form: Literal["long", "wide"] | None
    header: bool | None
    channels: Sequence[str] | None
    common_hz: float | None
    seed: int


def load_datasets(
    name_or_path: str | os.PathLike[str] | Generator, **words: Unpack[LoadWords]
) -> tuple[Dataset, ...]:
    """Return what `load_dataset` does, one dataset for each rate of a file that has several.

    An EDF file may hold an electrocardiogram at 500 Hz beside a temperature at 1 Hz. Each channel
    keeps its own grid: nothing is resampled unless `common_hz` asks for it, which gives one
    dataset.

    Args:
        name_or_path: As in `load_dataset`.
        words: The keyword arguments of `load_dataset`.

    Returns:
        One dataset a rate, in the order of the file's channels, called `file [500 Hz]` where there
        are several.

    Raises:
        TimegrainError: As `load_dataset` does.

    Example:
        >>> load_datasets("GunPoint")
        (GunPoint: 200 sequences x 1 channel, length 150, dt 1 sample,)
    """
    found = None if isinstance(name_or_path, Generator) else resolve(name_or_path).path
    if found is None or found.suffix.lower() != ".edf" or words.get("common_hz") is not None:
        return (load_dataset(name_or_path, **words),)
    loaded = []
    for names in _rates(found, several(words.get("channels"), "channels")):
        one: LoadWords = {**words, "channels": names}
        loaded.append(load_dataset(name_or_path, **one))
    return tuple(loaded)


def _rates(path: Path, channels: tuple[str, ...] | None) -> tuple[tuple[str, ...] | None, ...]:
    from timegrain.data.readers.edf import rates_of

    try:
        held = path.stat().st_size if path.is_file() else 0
        return rates_of(path, channels) if held else (channels,)
    except OSError:
        return (channels,)  # where the file cannot be opened, load_dataset says why

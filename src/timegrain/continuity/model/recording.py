"""A data set as the input of a model: the samples that a ladder thins out."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from timegrain.continuity.model.inputs import MIN_LENGTH
from timegrain.core.errors import DataError, GridError
from timegrain.core.grid import TimeGrid
from timegrain.core.signal import Signal

if TYPE_CHECKING:
    from timegrain.data.dataset import Dataset


def is_recording(word: str) -> bool:
    """Return whether a word that names a signal is one of a data set or a file.

    Families and systems come first; a path is a file whether or not it is there, so that the error
    is one of a missing file.

    Example:
        >>> [is_recording(word) for word in ("sines", "lorenz", "chrip", "rec.csv", "my:walks")]
        [False, False, False, True, True]
    """
    from timegrain.continuity.model.drawn import system_names
    from timegrain.data import datasets
    from timegrain.data.signals import signal_families

    if word in signal_families or word in system_names():
        return False
    path = Path(word)
    return ":" in word or os.sep in word or bool(path.suffix) or path.exists() or word in datasets


def recording(data: "Dataset", *, levels: int) -> Signal:
    """Return the sequences of a data set as one signal of several channels.

    A signal has sequences of one length: those that are long enough for the ladder are cut to the
    shortest of them, and its name says how many they are.

    Args:
        data: Of real values, on regular times.
        levels: Halvings of the step, of which the samples are the finest grid.

    Raises:
        DataError: If it holds tokens, or its times are irregular.
        GridError: If no sequence has samples enough for one grid.

    Example:
        >>> from timegrain.data import load_dataset
        >>> recording(load_dataset("ecg"), levels=6).values.shape
        (1, 108000, 1)
    """
    if data.kind == "tokens":
        raise DataError(
            f"{data.name} holds tokens, which have no values between them",
            expected="a recording of real values",
        )
    if data.times is not None:
        raise DataError(
            f"{data.name} is sampled at irregular times",
            got=f"a median step of {data.dt:g} {data.unit}",
            expected="one step",
            hint="common_hz=a rate to bring it to",
        )
    needed = (MIN_LENGTH - 1) * 2**levels + 1
    longest = max(len(s) for s in data.sequences)
    if longest < MIN_LENGTH:
        raise GridError(
            f"{data.name} is too short to be a recording",
            got=f"{len(data.sequences):,} x {longest} samples",
            expected=f">= {MIN_LENGTH} on the working grid alone",
            hint="layout='tc', if a row is a time step" if len(data) >= MIN_LENGTH else None,
        )
    kept = [s for s in data.sequences if len(s) >= min(needed, longest)]
    length = min(len(s) for s in kept)
    values = np.stack([np.asarray(s[:length], dtype=np.float64) for s in kept])
    name = data.name
    if len(data.sequences) > 1:
        name += f", {len(kept)} of {len(data.sequences)} sequences, {length:,} samples of each"
    return Signal(values=values, grid=TimeGrid(dt=data.dt, n=length, unit=data.unit), name=name)

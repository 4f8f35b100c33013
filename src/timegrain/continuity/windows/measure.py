"""Measure D(2) and the horizon in windows of several lengths."""

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from timegrain.continuity.dataset import dataset_continuity
from timegrain.continuity.task.cut import check_window
from timegrain.continuity.task.horizon import horizon
from timegrain.continuity.task.result import ChannelContinuity, TaskContinuity
from timegrain.continuity.windows.result import WindowProfile, WindowRow
from timegrain.core.errors import ConfigError
from timegrain.core.outcome import Outcome
from timegrain.core.provenance import Provenance
from timegrain.data.dataset import Dataset

SHORTEST, MOST = 16, 12


def window_profile(
    data: Dataset,
    windows: Sequence[int] | None = None,
    *,
    strides: Sequence[int] = (2, 4, 8, 16, 32, 64),
    detrend: Literal["linear"] | None = None,
    tol: float = 0.05,
    seed: int = 0,
    replicates: int = 999,
) -> WindowProfile:
    """Return D(2) and the horizon against the window.

    Args:
        data: From `load_dataset`.
        windows: Samples a piece, each at least 3; None for powers of two from 16 to the longest
            sequence. Those longer than every sequence are left out.
        strides: Of the horizon; those that do not fit a window are left out there.
        detrend: As `dataset_continuity`.
        tol: As `dataset_continuity`.
        seed: Of the intervals.
        replicates: Of the bootstrap.

    Raises:
        ConfigError: If an option is outside its domain, or no window fits.

    Note:
        Pieces of one series stand beside each other and are taken for independent, so the
        intervals of short windows are too narrow where the series is correlated over several.

    Example:
        >>> from timegrain.data import load_dataset
        >>> found = window_profile(load_dataset("ecg"), (64, 1024, 16384))
        >>> [row.n_pieces for row in found.windows]
        [1687, 105, 6]
    """
    longest = int(data.lengths.max())
    chosen, left_out = _choose(windows, longest)
    rows = []
    for window in chosen:
        found = dataset_continuity(
            data,
            strides=strides,
            window=window,
            detrend=detrend,
            tol=tol,
            seed=seed,
            replicates=replicates,
        )
        rows.append(_row(found, window))
    notes = list(data.notes)
    if left_out:
        listed = ", ".join(map(str, left_out))
        notes.append(f"windows left out, longer than every sequence ({longest} samples): {listed}")
    if len(data) == 1:
        notes.append("pieces of one series were taken for independent")
    parameters = {
        "windows": list(chosen),
        "strides": list(strides),
        "detrend": detrend,
        "tol": tol,
        "replicates": replicates,
        **data.versioned,
    }
    return WindowProfile(
        name=data.name,
        outcome=Outcome.MEASURED,
        provenance=Provenance.collect(seed=seed, parameters=parameters),
        notes=tuple(notes),
        dt=data.dt,
        unit=data.unit,
        tolerance=tol,
        n_sequences=len(data),
        windows=tuple(rows),
    )


def _choose(windows: object, longest: int) -> tuple[list[int], list[int]]:
    if windows is None:
        powers = [2**i for i in range(4, 53) if 2**i <= longest] or [longest]
        return powers[:: -(-len(powers) // MOST)], []
    if not isinstance(windows, Iterable):
        raise ConfigError("windows are numbers of samples", got=repr(windows))
    asked = sorted({check_window(w) for w in windows})
    fitting = [w for w in asked if w <= longest]
    if not fitting:
        raise ConfigError(
            "no window fits a sequence",
            got=f"windows={tuple(asked)}",
            expected=f"one of at most {longest} samples",
        )
    return fitting, [w for w in asked if w > longest]


def _row(found: TaskContinuity, window: int) -> WindowRow:
    d = next((p for p in found.profile if p.channel is None and p.stride == 2), None)
    varying = [c for c in found.channels if c.outcome is not Outcome.CONSTANT]
    return WindowRow(
        window=window,
        duration=window * found.dt,
        n_pieces=found.n_pieces,
        discontinuity=d.discontinuity if d else None,
        low=d.low if d else None,
        high=d.high if d else None,
        exponent=found.exponent,
        nugget=found.nugget,
        horizon=found.horizon,
        horizon_open=found.horizon_open,
        horizon_low=min((_end(found, c, "high") for c in varying), default=1),
        horizon_high=min((_end(found, c, "low") for c in varying), default=1),
        worst_channel=found.worst_channel,
    )


def _end(found: TaskContinuity, channel: ChannelContinuity, end: str) -> int:
    """Horizon of one channel at one end of its intervals; where there is none, at D itself."""
    rows = [p for p in found.profile if p.channel == channel.name and p.discontinuity is not None]
    ends = [p.discontinuity if getattr(p, end) is None else getattr(p, end) for p in rows]
    strides = np.array([p.stride for p in rows], dtype=np.int64)
    values = np.array(ends, dtype=np.float64)
    return horizon(values, strides, nugget=channel.nugget, tol=found.tolerance)[0]

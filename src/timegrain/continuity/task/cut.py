"""Sequences cut into the pieces whose variation the discontinuity is measured against."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64

from timegrain.core.errors import ConfigError, DataError
from timegrain.kernels.discontinuity.pieces import Pieces

MIN_SAMPLES = 3
N_BLOCKS = 32


@dataclass(frozen=True, kw_only=True, eq=False)
class Cut:
    """Pieces and what was left over.

    Args:
        pieces: Pieces of the flat array; groups are sequences, pieces of the one series, spans of
            pieces that overlap, or stretches of its one piece, whichever there are several of.
        unit: What a group is: `"sequence"`, `"piece"`, `"span"` or `"block"`.
        n_dropped: Remainders and sequences too short to use.
        n_samples: Samples in the pieces, those in several counted once.
        longest: Samples of the longest piece.
    """

    pieces: Pieces
    unit: str
    n_dropped: int
    n_samples: int
    longest: int


def cut(
    lengths: Int64[np.ndarray, " sequence"],
    times: Float64[np.ndarray, " sample"],
    window: int | None,
    other: tuple[str, int] | None = None,
    hop: int | None = None,
) -> Cut:
    """Cut sequences into pieces of `window` samples.

    Args:
        lengths: Samples of each sequence.
        times: Instants, or empty.
        window: Samples a piece, at least 3; None for whole sequences.
        other: Another layout and the length it gives, for the error.
        hop: Samples from the start of one piece to the next; None for no overlap.

    Raises:
        ConfigError: If `window` is no whole number of at least 3.
        DataError: If no sequence is long enough.
    """
    need = check_long_enough(lengths, window, other)
    first = np.cumsum(lengths) - lengths
    size = lengths if window is None else np.full_like(lengths, window)
    step = size if hop is None else np.full_like(lengths, hop)
    count = np.where(lengths >= need, 1 if window is None else (lengths - size) // step + 1, 0)
    sequence = np.repeat(np.arange(len(lengths)), count)
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    starts = first[sequence] + within * step[sequence]
    stops = starts + size[sequence]
    groups, n_groups, segments, unit = sequence, len(lengths), 1, "sequence"
    if len(lengths) == 1:
        groups, n_groups, unit = within, len(within), "piece"
        if len(within) == 1:
            n_groups, segments, unit = N_BLOCKS, N_BLOCKS, "block"
        elif hop is not None and hop < size[0]:
            n_groups, unit = _spans(len(within), hop, int(size[0])), "span"
            groups = within * n_groups // len(within)
    reach = (count - 1) * step + size
    left_over = (count == 0) | (lengths != reach)
    seen = np.where(count > 0, np.minimum(reach, count * size), 0)
    return Cut(
        pieces=Pieces(
            starts=starts,
            stops=stops,
            groups=groups.astype(np.int64),
            n_groups=n_groups,
            n_segments=segments,
            times=times,
        ),
        unit=unit,
        n_dropped=int(left_over.sum()),
        n_samples=int(seen.sum()),
        longest=int((stops - starts).max()),
    )


def _spans(pieces: int, hop: int, window: int) -> int:
    """Return into how many spans pieces that overlap are put: each holds two windows or more."""
    return max(1, min(N_BLOCKS, ((pieces - 1) * hop + window) // (2 * window)))


def check_long_enough(
    lengths: Int64[np.ndarray, " sequence"], window: int | None, other: tuple[str, int] | None
) -> int:
    """Return the samples a piece needs, unless no sequence has as many.

    Args:
        lengths: As for `cut`.
        window: As for `cut`.
        other: As for `cut`.

    Raises:
        ConfigError: If `window` is no whole number of at least 3.
        DataError: If no sequence is long enough.
    """
    need = MIN_SAMPLES if window is None else check_window(window)
    if lengths.max() < need:
        raise DataError(
            "no sequence is long enough",
            got=f"{lengths.max()} samples in the longest of {len(lengths)}",
            expected=f"at least {need}",
            hint=_longer(int(lengths.max()), need, other),
        )
    return need


def _longer(longest: int, need: int, other: tuple[str, int] | None) -> str | None:
    if other is not None and other[1] >= need:
        return f"layout={other[0]!r}, if the axis of {other[1]:,} is time"
    return f"window={longest} or less" if longest >= MIN_SAMPLES else None


def check_window(window: object) -> int:
    """Return a window as a whole number of samples.

    Raises:
        ConfigError: If it is no whole number of at least 3.
    """
    if isinstance(window, bool) or not isinstance(window, int | np.integer) or window < MIN_SAMPLES:
        raise ConfigError(
            "a window is a number of samples",
            got=repr(window),
            expected=f"a whole number >= {MIN_SAMPLES}, or None",
        )
    return int(window)


def check_hop(hop: object, window: int | None) -> int | None:
    """Return a hop as a whole number of samples, or None.

    Raises:
        ConfigError: If it is no whole number of at least 1, or there is no window.
    """
    if hop is None:
        return None
    if window is None:
        raise ConfigError("a hop needs a window", got=f"hop={hop!r}", hint="window= with it")
    if isinstance(hop, bool) or not isinstance(hop, int | np.integer) or hop < 1:
        raise ConfigError(
            "a hop is a number of samples", got=repr(hop), expected="a whole number >= 1, or None"
        )
    return int(hop)

"""Fewer samples without aliasing."""

import numpy as np
from jaxtyping import Float

from timegrain.core.errors import DataError, GridError, LayoutError
from timegrain.resample.edges import odd_extension
from timegrain.resample.fir import REACH, fir_taps, shortest_length

_BLOCK = 16


def fir_decimate(x: Float[np.ndarray, "..."], k: int, *, axis: int = 1) -> Float[np.ndarray, "..."]:
    """Return every `k`-th sample of the low-passed signal: what a slower recording would show.

    Sample `m` of the result stands at the instant of sample `m k`; the filter is `fir_taps(k)`,
    centred, so that no instant shifts. Content from the new Nyquist frequency on is removed (to
    -120 dB) instead of aliased; content between .8 of it and it is weakened.

    Before the first and behind the last sample the signal is continued by its mirror image about
    the end's value (nothing wraps round). Constants and lines stay exact up to the ends. The first
    and last 40 samples of the result lean on samples that were never recorded, the more the nearer
    the end.

    Args:
        x: Numbers of any shape; `(batch, time, channel)` by default. float32 stays float32, all
            else becomes float64; the sums are float64.
        k: Whole number >= 1.
        axis: Which axis is time.

    Returns:
        `ceil(n / k)` samples along `axis`.

    Raises:
        ConfigError: If `k` is no whole number >= 1.
        LayoutError: If `x` has no such axis.
        GridError: If the signal is shorter than three times the filter, naming the shortest length.
        DataError: If a value is missing or infinite: it would spread over 80 samples of the result.

    Example:
        >>> t = np.arange(1000)
        >>> slow, fast = np.sin(0.02 * t), np.sin(3.0 * t)
        >>> y = fir_decimate((slow + fast)[None, :, None], 4)
        >>> y.shape, bool(np.abs(y[0, 40:-40, 0] - slow[::4][40:-40]).max() < 2e-6)
        ((1, 250, 1), True)
    """
    taps = fir_taps(k)
    rows, shape = as_rows(x, axis)
    check_signal(rows, shortest_length(k), f"keeping every {k}-th sample of the filtered signal")
    if k > 1:
        rows = _kept(rows, taps, k)
    return from_rows(rows, shape, x.dtype)


def as_rows(x: np.ndarray, axis: int) -> tuple[np.ndarray, tuple[tuple[int, ...], int]]:
    """Return signals as float64 rows `(row, time)`, and what `from_rows` needs.

    Args:
        x: Numbers of any shape.
        axis: Which axis is time.

    Raises:
        LayoutError: If there is no such axis.
        DataError: If these are no real numbers.
    """
    if not isinstance(x, np.ndarray) or x.dtype.kind not in "iuf":
        kind = f"dtype {x.dtype}" if isinstance(x, np.ndarray) else type(x).__name__
        raise DataError("filtering needs an array of real numbers", got=kind)
    if not -x.ndim <= axis < x.ndim:
        raise LayoutError(
            f"the array has no axis {axis}",
            got=f"shape {x.shape}",
            expected="(batch, time, channel) with time on axis 1",
            hint="axis= with the place of time",
        )
    axis %= x.ndim
    last = np.moveaxis(x, axis, -1)
    rows = np.ascontiguousarray(last, dtype=np.float64).reshape(-1, x.shape[axis])
    return rows, (last.shape[:-1], axis)


def from_rows(
    rows: np.ndarray, shape: tuple[tuple[int, ...], int], dtype: np.dtype
) -> Float[np.ndarray, "..."]:
    """Return rows `(row, time)` in the shape that `as_rows` was given.

    Args:
        rows: Of any length.
        shape: From `as_rows`.
        dtype: Of the array it was given; float32 is kept.
    """
    leading, axis = shape
    out = np.moveaxis(rows.reshape(*leading, rows.shape[1]), -1, axis)
    return np.array(out, dtype=np.float32 if dtype == np.float32 else np.float64, order="C")


def check_signal(rows: np.ndarray, shortest: int, doing: str) -> None:
    """Raise unless rows are long enough for a filter and finite.

    Args:
        rows: One signal a row.
        shortest: Length that will do.
        doing: What needs it, for the error.

    Raises:
        GridError: Naming the shortest length.
        DataError: Naming the first sample that is not finite.
    """
    length = rows.shape[1]
    if length < shortest:
        raise GridError(
            f"the signal is too short for {doing}",
            got=f"{length:,} samples",
            expected=f"{shortest:,} or more, three times the filter",
            hint="a smaller factor, or longer recordings",
        )
    wrong = ~np.isfinite(rows)
    if wrong.any():
        row, sample = np.unravel_index(int(wrong.argmax()), rows.shape)
        raise DataError(
            f"{doing} would spread a missing or infinite value over its neighbours",
            got=f"{rows[row, sample]} at sample {sample} of signal {row}",
            expected="finite values",
            hint="cutting the recording there",
        )


def _kept(rows: np.ndarray, taps: np.ndarray, k: int) -> np.ndarray:
    """Filter and keep in one: blocks of the signal times blocks of the banded matrix of taps."""
    n_out = -(-rows.shape[1] // k)
    n_blocks, wide = -(-n_out // _BLOCK), _BLOCK * k
    bands = _bands(taps, k)
    extended = odd_extension(rows, REACH * k)
    needed = (n_blocks + len(bands) - 1) * wide
    padded = np.pad(extended, ((0, 0), (0, max(needed - extended.shape[1], 0))))
    blocks = padded[:, :needed].reshape(len(rows), -1, wide)
    out = blocks[:, :n_blocks] @ bands[0]
    for shift, band in enumerate(bands[1:], start=1):
        out += blocks[:, shift : shift + n_blocks] @ band
    kept: np.ndarray = out.reshape(len(rows), -1)[:, :n_out]
    return kept


def _bands(taps: np.ndarray, k: int) -> np.ndarray:
    """Column `b` holds the taps from row `b k` on; cut into blocks of `_BLOCK k` rows."""
    wide = _BLOCK * k
    count = -(-(len(taps) + (_BLOCK - 1) * k) // wide)
    matrix = np.zeros((count * wide, _BLOCK))
    for b in range(_BLOCK):
        matrix[b * k : b * k + len(taps), b] = taps
    return matrix.reshape(count, wide, _BLOCK)

"""From an array with named axes to sequences."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from timegrain.core.errors import DataError, LayoutError
from timegrain.data.arrays import EXACT, exact_floats, origin_note

BY_NDIM = {1: "t", 2: "bt", 3: "btc"}


def to_sequences(
    array: np.ndarray,
    *,
    layout: str | None = None,
    kind: Literal["real", "tokens"] = "real",
    where: str = "the array",
) -> tuple[np.ndarray, ...]:
    """Return the sequences of an array whose axes are named, never guessed from their sizes.

    Args:
        array: Numbers; an array of floats is not copied, so it may be memory-mapped.
        layout: One letter an axis, `t` among them: `b` sequences, `t` time, `c` channels. None
            stands for `t`, `bt` or `btc`, by the number of axes.
        kind: `"tokens"` gives `(time,)` int64, otherwise `(time, channel)` of the array's type,
            for `as_floats`.
        where: What the array is called in errors.

    Raises:
        LayoutError: If the letters do not fit the axes.
        DataError: If the array holds no numbers, or tokens are not whole.

    Example:
        >>> [s.shape for s in to_sequences(np.zeros((2, 3, 50)), layout="bct")]
        [(50, 3), (50, 3)]
    """
    letters = _letters(array, layout, where)
    _numeric(array, kind, where)
    if array.size == 0:
        raise DataError(f"{where} is empty", got=f"shape {array.shape}")
    if kind == "tokens":
        if "c" in letters:
            raise LayoutError(f"{where}: tokens have no channels", got=letters, expected="t or bt")
        if array.max() > np.iinfo(np.int64).max:
            raise DataError(f"{where}: no token is so large", got=int(array.max()))
        wanted = "bt"
    else:
        # a view of the class memmap costs ten times that of an array, for every sequence
        wanted, array = "btc", np.asarray(array)
    for letter in wanted:
        if letter not in letters:
            array, letters = array[..., None], letters + letter
    ordered = np.transpose(array, [letters.index(letter) for letter in wanted])
    return tuple(s.astype(np.int64) if kind == "tokens" else s for s in ordered)


def as_floats(
    sequences: tuple[np.ndarray, ...], *, where: str
) -> tuple[tuple[np.ndarray, ...], tuple[str, ...]]:
    """Return real sequences as float64 or float32, and a note on what was subtracted.

    Args:
        sequences: Each `(time, channel)`; those of either type are not copied.
        where: What they are called in errors.

    Raises:
        DataError: If whole numbers beyond 2^53 stand beside numbers of another type.

    Example:
        >>> as_floats((np.array([[2**60], [2**60 + 3]]),), where="x")[0][0][:, 0].tolist()
        [0.0, 3.0]
    """
    # what differs in width is refused by `Dataset`
    if len({s.shape[1] for s in sequences}) > 1:
        return tuple(np.asarray(s, dtype=np.float64) for s in sequences), ()
    floats, origin = exact_floats(sequences, name=where)
    return floats, origin_note(origin)


def axes_note(shape: tuple[int, ...]) -> str:
    """Return how an array without a named layout was read, and the other way where that is likely.

    Args:
        shape: Two axes, read as (sequence, time), or three, read as (sequence, time, channel).

    Returns:
        A sentence for the notes; empty for three axes of usual sizes and other numbers of axes.

    Example:
        >>> axes_note((6000, 3))
        "read as 6,000 series of 3 samples; layout='tc' would read one series of 6,000 samples"
        >>> axes_note((50, 12, 400))
        "read as 50 series of 12 samples in 400 channels; if the last axis is time: layout='bct'"
    """
    if len(shape) not in (2, 3):
        return ""
    text = f"read as {shape[0]:,} series of {shape[1]:,} samples"
    if len(shape) == 3:
        more = f" in {shape[2]:,} channels; if the last axis is time: layout='bct'"
        return text + more if shape[2] > shape[1] else ""
    if looks_transposed(shape):
        text += f"; layout='tc' would read one series of {shape[0]:,} samples"
    return text


def other_layout(notes: Sequence[str]) -> str | None:
    """Return what to try where the notes of a dataset say another way to read its axes.

    Args:
        notes: Some of them from `axes_note`.

    Example:
        >>> other_layout(("a note", axes_note((6000, 3))))
        "layout='tc', which would read one series of 6,000 samples"
        >>> other_layout((axes_note((50, 12, 400)),))
        "layout='bct', if the last axis is time"
        >>> other_layout((axes_note((9, 9)),)) is None
        True
    """
    for note in notes:
        if note.startswith("read as ") and "; layout='tc' " in note:
            return note.partition("; ")[2].replace("'tc' would", "'tc', which would")
        if note.startswith("read as ") and note.endswith("layout='bct'"):
            return "layout='bct', if the last axis is time"
    return None


def looks_transposed(shape: tuple[int, ...]) -> bool:
    """Whether (sequence, time) is more likely (time, channel): far more rows than columns."""
    return len(shape) == 2 and (shape[1] <= 8 < shape[0] or shape[0] > 16 * shape[1])


def to_tokens(sequence: np.ndarray, where: str) -> np.ndarray:
    """Return one channel of whole numbers as tokens.

    Args:
        sequence: `(time, channel)` with one channel and no missing samples.
        where: Whose it is, for the error.

    Raises:
        DataError: If there are more channels, or a value is not a whole number >= 0.

    Example:
        >>> to_tokens(np.array([[2.0], [0.0]]), "x")
        array([2, 0])
    """
    if sequence.shape[1] != 1:
        raise DataError(f"{where}: tokens have one channel", got=f"{sequence.shape[1]} channels")
    values = sequence[:, 0]
    whole = (values >= 0) & (values <= EXACT) & (values == np.floor(values))
    wrong = np.flatnonzero(~whole)
    if wrong.size:
        raise DataError(
            f"{where}: tokens are whole numbers from 0, none missing",
            got=f"{values[wrong[0]]:g} at sample {wrong[0]}",
            hint="kind='real' if these are measurements",
        )
    return values.astype(np.int64)


def _letters(array: np.ndarray, layout: str | None, where: str) -> str:
    letters = BY_NDIM.get(array.ndim) if layout is None else layout.strip().lower()
    if letters is None:
        raise LayoutError(
            f"{where} has too many axes" if array.ndim else f"{where} is a single number",
            got=f"shape {array.shape}",
            expected="(time,), (batch, time) or (batch, time, channel)",
        )
    known = "t" in letters and set(letters) <= set("btc") and len(set(letters)) == len(letters)
    if not known:
        raise LayoutError(
            "a layout names each axis once, time among them",
            got=layout,
            expected="letters from b (sequences), t (time), c (channels), such as btc, bct or tc",
        )
    if len(letters) != array.ndim:
        raise LayoutError(
            f"layout {letters!r} does not fit {where}",
            got=f"{array.ndim} axes, shape {array.shape}",
            expected=f"{len(letters)} axes",
            hint=_fitting(array.ndim, array.shape),
        )
    return letters


def _fitting(axes: int, shape: tuple[int, ...]) -> str:
    if axes not in BY_NDIM:
        return f"an array of 1 to 3 axes; this one has shape {shape}"
    return f"a layout of {axes} letter{'s' * (axes > 1)}, such as {_USUAL[axes]}"


_USUAL = {1: "t", 2: "bt or tc", 3: "btc or bct"}


def _numeric(array: np.ndarray, kind: str, where: str) -> None:
    if array.dtype.kind not in "iuf":
        raise DataError(
            f"{where} holds no real numbers",
            got=f"dtype {array.dtype}",
            expected="integers or floats",
            hint="converting it first, for example array.astype(float)",
        )
    if kind == "tokens" and array.dtype.kind == "f":
        raise DataError(
            f"{where}: tokens are whole numbers",
            got=f"dtype {array.dtype}",
            hint="array.astype(int) if these are symbols, kind='real' if they are measurements",
        )

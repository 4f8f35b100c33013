"""What users call arrays of numbers, as numpy arrays: nothing lost, and torch not imported."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import DataError

EXACT = 2**53

_UNUSABLE = {
    "c": ("complex values have no order in which to interpolate their size", "x.real and x.imag"),
    "O": ("an array of Python objects is no array of numbers", "a list of float arrays"),
    "U": ("text is not a number", "one whole number for each symbol, and kind='tokens'"),
    "S": ("text is not a number", "one whole number for each symbol, and kind='tokens'"),
    "M": ("dates are not values", "(x - x[0]) / numpy.timedelta64(1, 's')"),
    "m": ("time differences are not numbers", "x / numpy.timedelta64(1, 's')"),
    "V": ("a record array has no single number a sample", "one column after the other"),
}


def real_array(x: Any, *, name: str) -> np.ndarray:
    """Return numbers as an array of booleans, integers or floats, NaN where a mask hides one.

    Args:
        x: A numpy array, masked or not, a tensor on any device, or nested lists of numbers.
        name: What `x` is, for errors.

    Raises:
        DataError: If the values are not real numbers, or a conversion would change them.

    Example:
        >>> real_array(np.ma.array([1.0, 2.0], mask=[False, True]), name="x").tolist()
        [1.0, nan]
    """
    array = _to_numpy(x, name)
    if array.dtype.kind in _UNUSABLE:
        what, hint = _UNUSABLE[array.dtype.kind]
        raise DataError(
            f"{name}: {what}", got=f"dtype {array.dtype}", expected="real numbers", hint=hint
        )
    if isinstance(array, np.ma.MaskedArray):
        array = _without_mask(array, name)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def is_sequence_list(x: Any) -> bool:
    """Whether `x` is a list or tuple of sequences, as opposed to one of numbers."""
    return isinstance(x, list | tuple) and any(_axes(item) > 0 for item in x)


def exact_floats(
    sequences: Sequence[np.ndarray], *, name: str
) -> tuple[tuple[np.ndarray, ...], tuple[int, ...]]:
    """Return real sequences as floats, whole numbers rounded to a share of their range at most.

    Whole numbers beyond 2^53 are counted from the smallest of their channel before they become
    float64, so a counter that starts at 2^60 still counts. float64 and float32 come back as they
    are.

    Args:
        sequences: Each `(time, channel)`, of any real type.
        name: What they are, for errors.

    Returns:
        The sequences, and what was subtracted from each channel; empty where nothing was.

    Raises:
        DataError: If such numbers stand beside sequences of another type.

    Example:
        >>> floats, origin = exact_floats([np.array([[2**60], [2**60 + 3]])], name="x")
        >>> floats[0][:, 0].tolist(), origin == (2**60,)
        ([0.0, 3.0], True)
    """
    origin = _origin(sequences, name)
    if not origin:
        return tuple(_as_float(s) for s in sequences), ()
    return tuple(_minus(s, origin) for s in sequences), origin


def origin_note(origin: Iterable[int]) -> tuple[str, ...]:
    """Return what a reader should know of numbers that were subtracted; nothing for none."""
    moved = [str(v) for v in origin if v]
    if not moved:
        return ()
    more = f" and {len(moved) - 4} more" if len(moved) > 4 else ""
    return (
        "whole numbers beyond 2^53 are counted from the smallest of their channel, which keeps "
        f"the differences between them: {', '.join(moved[:4])}{more}",
    )


def _origin(sequences: Sequence[np.ndarray], name: str) -> tuple[int, ...]:
    filled = [s for s in sequences if s.size]
    whole = [s for s in filled if s.dtype.kind in "iu" and s.dtype.itemsize == 8]
    low = [min(int(v) for v in ends) for ends in zip(*(s.min(0) for s in whole), strict=True)]
    high = [max(int(v) for v in ends) for ends in zip(*(s.max(0) for s in whole), strict=True)]
    large = [max(abs(a), abs(b)) > EXACT for a, b in zip(low, high, strict=True)]
    if any(large) and len(whole) < len(filled):
        raise DataError(
            f"{name}: whole numbers beyond 2^53 cannot stand beside numbers of another type",
            got=f"{', '.join(sorted({str(s.dtype) for s in filled}))}",
            expected="one type of 64 bits",
            hint="subtracting the first value of each channel before they become floats",
        )
    return tuple(a if far else 0 for a, far in zip(low, large, strict=True)) if any(large) else ()


def _minus(x: np.ndarray, origin: tuple[int, ...]) -> Float64[np.ndarray, "time channel"]:
    out = np.empty(x.shape)
    for c, start in enumerate(origin):
        column = x[:, c]
        out[:, c] = counted_from(column, start) if start else column
    return out


def counted_from(column: np.ndarray, start: int) -> Float64[np.ndarray, " time"]:
    """Return whole numbers of 64 bits less the smallest of them, as floats.

    Args:
        column: `(time,)` int64 or uint64.
        start: The smallest.
    """
    # modulo 2^64 a difference of two such numbers is right, whatever their type
    return (column.astype(np.uint64) - np.uint64(start % 2**64)).astype(np.float64)


def _as_float(x: np.ndarray) -> np.ndarray:
    return x if x.dtype in (np.float32, np.float64) else x.astype(np.float64)


def _to_numpy(x: Any, name: str) -> np.ndarray:
    if hasattr(x, "detach") and hasattr(x, "cpu"):
        return _from_tensor(x, name)
    if isinstance(x, np.ma.MaskedArray):
        return x
    masked = isinstance(x, list | tuple) and any(isinstance(i, np.ma.MaskedArray) for i in x)
    try:
        array = np.ma.array(x) if masked else np.asarray(x)
    except (ValueError, TypeError, RuntimeError, OverflowError) as error:
        raise DataError(
            f"{name} cannot be made an array of numbers",
            got=type(x).__name__,
            expected="an array, a tensor, or a list of (time,) or (time, channel) arrays",
        ) from error
    return _unrounded(array, x)


def _unrounded(array: np.ndarray, x: Any) -> np.ndarray:
    """Numpy reads a list of whole numbers of which some need uint64 and some a sign as floats."""
    mixed = isinstance(x, list | tuple) and array.dtype.kind == "f" and array.size
    if mixed and bool((np.abs(array) > EXACT).any()):
        exact = np.array(x, dtype=object)
        if all(isinstance(v, int) for v in exact.ravel()):
            return exact
    return array


def _from_tensor(x: Any, name: str) -> np.ndarray:
    try:
        tensor = x.detach().cpu().resolve_neg().resolve_conj()
        # numpy has no bfloat16 and no floats of 8 bits
        narrow = str(tensor.dtype).startswith(("torch.bfloat16", "torch.float8"))
        found: np.ndarray = (tensor.float() if narrow else tensor).numpy()
    except (TypeError, RuntimeError) as error:
        raise DataError(
            f"{name}: this tensor cannot be made an array",
            got=f"{x.dtype}, {x.layout}, on {x.device}: {str(error).splitlines()[0]}",
            expected="a dense tensor of numbers that has data",
            hint="x.to_dense() for a sparse one, a list of tensors for a nested one",
        ) from error
    return found


def _without_mask(array: "np.ma.MaskedArray[Any, Any]", name: str) -> np.ndarray:
    data = np.asarray(array.data)
    hidden = np.ma.getmaskarray(array)
    if not hidden.any():
        return data
    if data.dtype.kind != "f":
        shown = data[~hidden]
        if shown.size and max(abs(int(shown.min())), abs(int(shown.max()))) > EXACT:
            raise DataError(
                f"{name}: whole numbers beyond 2^53 cannot stand beside missing ones",
                got=f"a masked array of {data.dtype}",
                hint="subtracting the first value before masking",
            )
        data = np.where(hidden, 0, data).astype(np.float64)
    return np.where(hidden, np.asarray(np.nan, dtype=data.dtype), data)


def _axes(item: Any) -> int:
    if isinstance(item, list | tuple | range):
        return 1
    axes = getattr(item, "ndim", None)
    return int(axes) if isinstance(axes, int) else 0

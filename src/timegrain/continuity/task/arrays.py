"""Arrays and tensors of users as checked numpy arrays, without importing torch."""

from typing import Any, Literal

import numpy as np

from timegrain.core.errors import DataError

Kind = Literal["real", "tokens"]

_UNUSABLE = {
    "c": ("complex values have no order in which to interpolate their size", "x.real and x.imag"),
    "O": ("an array of Python objects is no array of numbers", "a list of float arrays"),
    "U": ("text is not a number", "one whole number for each symbol, and kind='tokens'"),
    "S": ("text is not a number", "one whole number for each symbol, and kind='tokens'"),
    "M": ("dates are not values", "times= for the instants, in float seconds"),
    "m": ("time differences are not numbers", "x / numpy.timedelta64(1, 's')"),
    "V": ("a record array has no single number a sample", "one column after the other"),
}


def as_array(x: Any, *, name: str, kind: Kind) -> np.ndarray:
    """Return numbers as float32, float64 or (tokens) int64.

    Args:
        x: A numpy array, a tensor on any device, or nested lists of numbers.
        name: What `x` is, for errors.
        kind: `"tokens"` wants whole numbers.

    Raises:
        DataError: If the values are not numbers of that kind.
    """
    array = _to_numpy(x, name)
    if array.dtype.kind in _UNUSABLE:
        what, hint = _UNUSABLE[array.dtype.kind]
        raise DataError(
            f"{name}: {what}", got=f"dtype {array.dtype}", expected="real numbers", hint=hint
        )
    if kind == "tokens":
        if array.dtype.kind not in "iub":
            raise DataError(
                f"{name}: tokens are whole numbers",
                got=f"dtype {array.dtype}",
                expected="an integer dtype",
                hint="x.astype(numpy.int64), or kind='real'",
            )
        return array.astype(np.int64, copy=False)
    if array.dtype in (np.float32, np.float64):
        return array.astype(array.dtype.newbyteorder("="), copy=False)
    return array.astype(np.float64)


def is_sequence_list(x: Any) -> bool:
    """Whether `x` is a list or tuple of sequences, as opposed to one of numbers."""
    return isinstance(x, list | tuple) and any(np.ndim(_plain(item)) > 0 for item in x)


def _to_numpy(x: Any, name: str) -> np.ndarray:
    try:
        return np.asarray(_plain(x))
    except (ValueError, TypeError) as error:
        raise DataError(
            f"{name} cannot be made an array of numbers",
            got=type(x).__name__,
            expected="an array, a tensor, or a list of (time,) or (time, channel) arrays",
        ) from error


def _plain(x: Any) -> Any:
    """Take a tensor to the CPU; numpy has no bfloat16."""
    if hasattr(x, "detach") and hasattr(x, "cpu"):
        tensor = x.detach().cpu()
        return (tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor).numpy()
    return x

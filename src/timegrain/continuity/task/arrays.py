"""Arrays and tensors of users as the numbers a measurement takes."""

from typing import Any, Literal

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.arrays import real_array

Kind = Literal["real", "tokens"]


def as_array(x: Any, *, name: str, kind: Kind) -> np.ndarray:
    """Return real numbers as they are, or tokens as int64.

    Args:
        x: A numpy array, masked or not, a tensor on any device, or nested lists of numbers.
        name: What `x` is, for errors.
        kind: `"tokens"` wants whole numbers.

    Raises:
        DataError: If the values are not numbers of that kind.
    """
    array = real_array(x, name=name)
    if kind == "real":
        return array
    if array.dtype.kind not in "iub":
        missing = isinstance(x, np.ma.MaskedArray)
        raise DataError(
            f"{name}: tokens are whole numbers" + (", none of them missing" if missing else ""),
            got="a mask" if missing else f"dtype {array.dtype}",
            expected="an integer dtype",
            hint="x.astype(numpy.int64), or kind='real'",
        )
    return array.astype(np.int64, copy=False)

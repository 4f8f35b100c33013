"""Series that were padded to one length with missing samples."""

import numpy as np
from jaxtyping import Float64

from timegrain.data.readers.place import Place


def unpadded(
    values: Float64[np.ndarray, "time channel"], place: Place
) -> Float64[np.ndarray, "_time channel"]:
    """Return a series up to its last sample that is there in some channel.

    Args:
        values: NaN where a sample is missing.
        place: For the error.

    Raises:
        DataError: If there are fewer than two.

    Example:
        >>> unpadded(np.array([[1.0], [np.nan], [2.0], [np.nan]]), Place("x.tsv", 1)).ravel()
        array([ 1., nan,  2.])
    """
    there = np.flatnonzero(~np.isnan(values).all(axis=1))
    if not there.size:
        raise place.error("all samples are missing", expected="2 or more", hint=_LEFT_OUT)
    own = values[: there[-1] + 1]
    if len(own) < 2:
        raise place.error("a series of one sample", expected="2 or more", hint=_LEFT_OUT)
    return own


_LEFT_OUT = "a complete file, or one without that row"


def padding_note(file: str, cut: int) -> tuple[str, ...]:
    """Return the note that series were cut, if any were.

    Args:
        file: They are in.
        cut: How many.
    """
    if not cut:
        return ()
    return (f"{cut:,} series of {file} end in missing samples, taken for padding and left out",)

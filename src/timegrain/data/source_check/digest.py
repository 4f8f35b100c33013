"""Arrays as short words that are equal where the arrays are, to the bit."""

import hashlib

import numpy as np

from timegrain.data.dataset import Dataset


def digest(array: np.ndarray) -> bytes:
    """Return a word for type, shape and bits of an array.

    Example:
        >>> one = digest(np.array([1.0]))
        >>> one == digest(np.array([1])), one == digest(np.ones(1))
        (False, True)
    """
    array = np.ascontiguousarray(array)
    word = hashlib.blake2b(f"{array.dtype}{array.shape}".encode(), digest_size=16)
    # -0.0 and 0.0 are the same sample
    word.update((array + 0).tobytes() if array.dtype.kind == "f" else array.tobytes())
    return word.digest()


def data_digests(data: Dataset) -> list[bytes]:
    """Return a word for every sequence, then one for the labels and each set of targets."""
    words = [digest(s) for s in data.sequences]
    if data.labels is not None:
        words.append(digest(data.labels))
    return [*words, *(digest(y) for y in data.targets or ())]

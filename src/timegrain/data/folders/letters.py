"""Text as the bytes it is stored in."""

import numpy as np
from jaxtyping import UInt8

# the symbol of each byte: itself where it can be seen
BYTES = tuple(chr(b) if 32 <= b < 127 else f"\\x{b:02x}" for b in range(256))


def as_bytes(text: bytes, longest: int) -> UInt8[np.ndarray, " time"]:
    r"""Return the first bytes of a text as tokens.

    Args:
        text: As stored.
        longest: At most so many.

    Example:
        >>> as_bytes(b"ab\n", 2).tolist(), BYTES[97], BYTES[10]
        ([97, 98], 'a', '\\x0a')
    """
    return np.frombuffer(text[:longest], dtype=np.uint8)

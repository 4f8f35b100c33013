"""Values to learn, in numbers that a float32 holds."""

import math

import numpy as np
from jaxtyping import Float64, Int64

# of the spread of the values, by which float32 may round them
_ROUNDING = 1e-4
# squares of so large numbers, and of their inverses, are float32 still
_FAR = 2.0**60


def held_values(
    values: Float64[np.ndarray, "batch ..."], train: Int64[np.ndarray, " train"]
) -> tuple[Float64[np.ndarray, "batch ..."], tuple[str, ...]]:
    """Return values whose differences survive float32, and a note on what was done to them.

    Where float32 would round them by more than a ten-thousandth of their spread, they are counted
    from their training mean; where it holds no numbers of such a size, a power of 2 divides them.

    Args:
        values: Finite, `(batch,)`, or `(batch, output)`, of which each output is held for itself.
        train: Which are to be learnt from.

    Example:
        >>> moved, notes = held_values(np.array([1e9, 1e9 + 1.0, 1e9 + 2.0]), np.array([0, 1, 2]))
        >>> moved.tolist(), notes[0][:38]
        ([-1.0, 0.0, 1.0], 'targets were counted from 1000000001, ')
    """
    if values.ndim == 2:
        held = [held_values(column, train) for column in values.T]
        notes = [f"output {i}: {note}" for i, (_, found) in enumerate(held) for note in found]
        return np.stack([moved for moved, _ in held], axis=1), tuple(notes)
    largest = float(np.abs(values).max())
    # a power of 2 divides exactly, and nothing below overflows in a square or a sum
    unit = 2.0 ** math.floor(math.log2(largest)) if largest > 0 else 1.0
    shares = values / unit
    # differences from one of them are exact where they are small beside it
    first = float(shares[train][0])
    above = shares - first
    rise = float(above[train].mean())
    deviation = float(np.sqrt(np.mean((above - rise) ** 2)))
    rounding = float(np.finfo(np.float32).eps) / 2 * largest / unit
    far = rounding > _ROUNDING * deviation
    if not far and 1 / _FAR < unit < _FAR:
        return values, ()
    moved = above - rise if far else shares
    height = float(np.abs(moved).max()) * unit
    scale = 1.0 if 1 / _FAR < height < _FAR or height == 0 else unit
    done = [f"counted from {(first + rise) * unit:.17g}"] if far else []
    if scale != 1.0:
        done.append(f"divided by {scale:.17g}")
    note = f"targets were {' and '.join(done)}, which a float32 would have rounded or lost"
    return moved * (unit / scale), (note,) if done else ()

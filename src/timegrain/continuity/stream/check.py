"""What goes into an accumulator, checked."""

from typing import TYPE_CHECKING, Any

import numpy as np

from timegrain.continuity.task.arrays import Kind, as_array
from timegrain.core.errors import ConfigError, DataError
from timegrain.data.arrays import EXACT

if TYPE_CHECKING:
    from timegrain.continuity.stream.accumulator import ContinuityAccumulator


SETTINGS = (
    "strides",
    "window",
    "dt",
    "unit",
    "kind",
    "detrend",
    "tol",
    "seed",
    "replicates",
    "name",
)
"""What accumulators have to agree in to be merged."""


def as_chunk(chunk: Any, kind: Kind) -> tuple[np.ndarray, float]:
    """Return samples as `(time, channel)` float64, or tokens as `(time,)` int64, and their `eps`.

    Args:
        chunk: What the user gave.
        kind: Of data.

    Raises:
        DataError: If it cannot be read so.
    """
    array = as_array(chunk, name="the chunk", kind=kind)
    if array.ndim not in ((1,) if kind == "tokens" else (1, 2)):
        raise DataError(
            "a chunk is samples of one sequence",
            got=f"shape {array.shape}",
            expected="(time,)" if kind == "tokens" else "(time,) or (time, channel)",
        )
    if kind == "tokens":
        return np.ascontiguousarray(array, dtype=np.int64), 0.0
    if array.dtype.kind in "iu" and array.size and _largest(array) > EXACT:
        raise DataError(
            "whole numbers beyond 2^53 lose digits as floats",
            got=f"{_largest(array)}",
            hint="subtracting one number from all of them, the same for every chunk",
        )
    eps = np.finfo(array.dtype if array.dtype == np.float32 else np.float64).eps
    flat = array[:, None] if array.ndim == 1 else array
    samples = np.ascontiguousarray(flat, dtype=np.float64)
    if samples.shape[1] == 0:
        raise DataError("a chunk has no channels", got=f"shape {array.shape}")
    return samples, float(eps)


def whole_number(value: object, name: str, *, least: int = 0) -> int:
    """Return a whole number >= `least`.

    Raises:
        ConfigError: If it is none.
    """
    good = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not good or not least <= int(value) < 2**62:  # type: ignore[call-overload]
        raise ConfigError(
            f"{name}= takes a whole number", got=repr(value), expected=f"{least} or more"
        )
    return int(value)  # type: ignore[call-overload]


def check_same(one: "ContinuityAccumulator", other: "ContinuityAccumulator") -> None:
    """Raise unless two accumulators measure the same in the same way.

    Raises:
        ConfigError: Naming the setting that differs.
    """
    if type(other) is not type(one):
        raise ConfigError("merge() takes an accumulator", got=type(other).__name__)
    if other is one:
        raise ConfigError("an accumulator cannot be merged with itself")
    for field in SETTINGS:
        mine, yours = getattr(one.options, field), getattr(other.options, field)
        if mine != yours:
            raise ConfigError(f"accumulators differ in {field}=", got=yours, expected=mine)
    if one.channel_names != other.channel_names:
        raise ConfigError(
            "accumulators differ in their channel names",
            got=other.channel_names,
            expected=one.channel_names,
        )
    if one.grain and other.grain and one.grain.channels != other.grain.channels:
        raise ConfigError(
            "accumulators differ in their channels",
            got=other.grain.channels,
            expected=one.grain.channels,
        )


def _largest(array: np.ndarray) -> int:
    return max(abs(int(array.min())), abs(int(array.max())))

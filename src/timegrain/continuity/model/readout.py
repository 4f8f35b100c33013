"""From whatever a model returns to a float64 array with named axes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import ModelError

Array = Float64[np.ndarray, "..."]


def to_array(raw: Any, *, copy: bool = True, finite: bool = True) -> tuple[Array, str]:
    """Return a model's output as float64, with the name of the type it came in.

    Args:
        raw: A tensor or an array, or a tuple or list whose first element is one.
        copy: Whether it is always copied, since a model may write into what it returned when it is
            called again.
        finite: Whether every number is looked at.

    Raises:
        ModelError: If it is something else, empty, complex, or not finite.
    """
    if isinstance(raw, tuple | list) and raw:
        raw = raw[0]
    if hasattr(raw, "detach"):
        tensor = raw.detach().cpu()
        kind = str(tensor.dtype).removeprefix("torch.")
        array = (tensor if tensor.is_complex() else tensor.double()).numpy()
    elif isinstance(raw, np.ndarray):
        kind, array = raw.dtype.name, raw
    else:
        raise _unread(raw)
    if array.dtype.kind not in "fiu":
        raise ModelError("the model's output must be real", got=kind)
    if not array.size:
        raise ModelError(
            "the model's output is empty",
            got=f"shape {array.shape}",
            expected="at least one channel at each time",
        )
    if finite:
        check_finite(array)
    return array.astype(np.float64, copy=copy), kind


def _unread(raw: Any) -> ModelError:
    named = isinstance(raw, Mapping) and bool(raw)
    keys = ", ".join(map(repr, raw)) if named else ""
    first = repr(next(iter(raw))) if named else "'the_part'"
    return ModelError(
        "the model's output cannot be read",
        got=f"{type(raw).__name__} with {keys}" if named else type(raw).__name__,
        expected="a tensor, an array, or a tuple that begins with one",
        hint=f"tg.ModelAdapter(model, output={first}), which measures that part of its answer",
    )


def check_finite(array: Array) -> None:
    """Raise unless a model's output is finite.

    Raises:
        ModelError: If it holds NaN or infinity.
    """
    if not np.isfinite(array).all():
        raise ModelError(
            "the model returned NaN or infinity",
            expected="finite outputs",
            hint="fewer levels or a smaller amplitude",
        )


def axes_of(shapes: Sequence[tuple[int, ...]], lengths: Sequence[int]) -> str:
    """Return how to read outputs of these shapes, for one sequence of each of these lengths.

    Args:
        shapes: Output shapes for batches of 1.
        lengths: Samples of the inputs; two that differ.

    Returns:
        `"btc"` for `(batch, time, channel)`, `"bt"` for `(batch, time)`, `"bc"` for pooled
        `(batch, channel)`, `"b"` for one pooled number.

    Raises:
        ModelError: If the output has another form.

    Example:
        >>> axes_of([(1, 64, 8), (1, 127, 8)], [64, 127]), axes_of([(1, 6), (1, 6)], [64, 127])
        ('btc', 'bc')
    """
    ranks = {len(s) for s in shapes}
    if len(ranks) == 1 and all(s[0] == 1 for s in shapes if s):
        (rank,) = ranks
        follows = rank > 1 and all(s[1] == n for s, n in zip(shapes, lengths, strict=True))
        if rank == 3 and follows and shapes[0][2] == shapes[1][2]:
            return "btc"
        if rank == 2 and (follows or shapes[0] == shapes[1]):
            return "bt" if follows else "bc"
        if rank == 1:
            return "b"
    raise ModelError(
        "the output does not fit the input",
        got=f"shapes {', '.join(map(str, shapes))} for inputs of {', '.join(map(str, lengths))} "
        "samples",
        expected="(batch, time, channel) with the input's times and always the same channels, or "
        "(batch, channel) if it pools",
        hint="wrapping the model so that it returns one output per input sample",
    )


@dataclass(frozen=True, kw_only=True)
class Form:
    """How the outputs of a model are read.

    Args:
        axes: As from `axes_of`.
        channels: Length of the last axis; 1 where there is none.
    """

    axes: str
    channels: int

    @classmethod
    def of(cls, shapes: Sequence[tuple[int, ...]], lengths: Sequence[int]) -> "Form":
        """Return the form of outputs of these shapes; arguments as in `axes_of`.

        Raises:
            ModelError: If they have none.
        """
        axes = axes_of(shapes, lengths)
        return cls(axes=axes, channels=shapes[0][-1] if axes.endswith("c") else 1)

    @property
    def pooled(self) -> bool:
        """Whether there is no axis of time."""
        return "t" not in self.axes

    def read(
        self, array: Array, x: Float64[np.ndarray, "batch time _"]
    ) -> Float64[np.ndarray, "batch _ channel"]:
        """Return an output with all three axes; a pooled one gets a time axis of length 1.

        Args:
            array: The output.
            x: The input it is of.

        Raises:
            ModelError: If it has another form than that of the first outputs.
        """
        sizes = {"b": x.shape[0], "t": x.shape[1], "c": self.channels}
        wanted = tuple(sizes[axis] for axis in self.axes)
        if array.shape != wanted:
            raise ModelError(
                "the model's output changes its form with the length of the input",
                got=f"shape {array.shape} for an input of shape {x.shape}",
                expected=f"{wanted}, as for shorter inputs",
            )
        return array.reshape(x.shape[0], 1 if self.pooled else x.shape[1], self.channels)


def spacing(kind: str) -> float:
    """Return the relative spacing of the numbers of a type; that of float64 for whole numbers.

    Args:
        kind: Name of the type, such as `"float32"`.

    Example:
        >>> spacing("float16")
        0.0009765625
    """
    if kind == "bfloat16":
        return 2.0**-7
    known = kind in ("float16", "float32", "float64")
    return float(np.finfo(kind if known else "float64").eps)

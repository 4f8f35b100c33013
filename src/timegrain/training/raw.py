"""Raw arrays of a user as one padded array of the numbers a network was trained on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int64

from timegrain.core.errors import DataError, LayoutError
from timegrain.training.scaling import Scaling


@dataclass(frozen=True, kw_only=True)
class RawReader:
    """Reads what a user has into what the network takes.

    Args:
        width: Input channels, or the number of symbols of tokens.
        tokens: Whether the data are whole numbers that stand for symbols.
        scaling: How inputs were standardised; None when they were taken as they are.
        channel_names: Names of the channels, for errors.
    """

    width: int
    tokens: bool = False
    scaling: Scaling | None = None
    channel_names: tuple[str, ...] = ()

    def read(
        self, x: Any, lengths: Any = None
    ) -> tuple[np.ndarray, Int64[np.ndarray, " batch"] | None]:
        """Return the padded inputs and their lengths.

        Missing samples (NaN) become 0 after scaling, the training mean, as in a task.

        Args:
            x: `(batch, time, channel)`, tokens `(batch, time)`; or a list of sequences
                `(time, channel)`, or `(time,)` where there is one channel or tokens.
            lengths: Samples that exist in each sequence of an array, `(batch,)`; None for all.

        Returns:
            `(batch, time, channel)` float64, or for tokens `(batch, time)` int64 with 0 as
            padding; and lengths, None when all samples exist.

        Raises:
            LayoutError: If the axes or the lengths do not fit.
            DataError: If a value is no number, infinite, outside the vocabulary, or missing where
                no scaling tells what stands for it.
        """
        if isinstance(x, list | tuple):
            if lengths is not None:
                raise LayoutError(
                    "sequences in a list have lengths of their own", got="lengths beside a list"
                )
            values, counts = self._padded([self._sequence(s, i) for i, s in enumerate(x)])
        else:
            values = self._array(x)
            counts = _counts(lengths, *values.shape[:2])
        inside = np.arange(values.shape[1]) < counts[:, None]
        values = self._symbols(values, inside) if self.tokens else self._scaled(values, inside)
        return values, None if bool(inside.all()) else counts

    def _array(self, x: Any) -> np.ndarray:
        array = _numbers(x, "the input")
        fits = array.ndim == 2 if self.tokens else array.ndim == 3 and array.shape[2] == self.width
        if not fits or 0 in array.shape:
            raise LayoutError(
                "the network cannot take this input",
                got=f"an array of shape {array.shape}",
                expected=f"{self._axes()}, raw and with no empty axis, or a list of sequences",
                hint=self._hint(array),
            )
        return array

    def _sequence(self, x: Any, i: int) -> np.ndarray:
        array = _numbers(x, f"sequence {i}")
        if array.ndim == 1 and not self.tokens and self.width == 1:
            array = array[:, None]
        fits = array.ndim == 1 if self.tokens else array.ndim == 2 and array.shape[1] == self.width
        if not fits or 0 in array.shape:
            raise LayoutError(
                f"the network cannot take sequence {i} of the list",
                got=f"shape {array.shape}",
                expected=f"{self._axes().replace('batch, ', '')} with at least one sample",
            )
        return array

    def _padded(self, sequences: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        if not sequences:
            raise DataError("there is no sequence to predict from", got="an empty list")
        counts = np.array([len(s) for s in sequences], dtype=np.int64)
        kind = np.result_type(*sequences)
        padded = np.zeros((len(sequences), counts.max(), *sequences[0].shape[1:]), dtype=kind)
        for row, sequence in zip(padded, sequences, strict=True):
            row[: len(sequence)] = sequence
        return padded, counts

    def _scaled(self, values: np.ndarray, inside: np.ndarray) -> np.ndarray:
        values = values.astype(np.float64)
        if self.scaling is not None:
            # two steps in this order, as tasks are scaled, so that the bits are theirs
            values -= self.scaling.center
            values /= self.scaling.scale
            values[np.isnan(values)] = 0.0
        values[~inside] = 0.0
        wrong = np.argwhere(~np.isfinite(values))
        if len(wrong):
            row, sample, channel = (int(i) for i in wrong[0])
            value = "a missing sample" if np.isnan(values[row, sample, channel]) else "infinity"
            raise DataError(
                "the network cannot take this input",
                got=f"{value} in sequence {row}, sample {sample}, channel {channel}",
                expected="finite numbers",
            )
        return values

    def _symbols(self, values: np.ndarray, inside: np.ndarray) -> np.ndarray:
        wrong = np.argwhere(inside & ~((values >= 0) & (values < self.width)))
        if values.dtype.kind == "f" or len(wrong):
            got = f"dtype {values.dtype}" if not len(wrong) else f"{values[tuple(wrong[0])]:g}"
            raise DataError(
                "tokens are whole numbers that stand for symbols",
                got=got,
                expected=f"integers in 0..{self.width - 1}",
            )
        return np.where(inside, values, 0).astype(np.int64)

    def _axes(self) -> str:
        if self.tokens:
            return "(batch, time) tokens"
        return f"(batch, time, {self.width})"

    def _hint(self, array: np.ndarray) -> str | None:
        if not self.tokens and array.ndim == 2 and self.width == 1:
            return "x[:, :, None] if the axes are (batch, time), x[None] if (time, channel)"
        if array.ndim == 2 and array.shape[1] == self.width:
            return "x[None] for a single sequence"
        if not self.tokens and array.ndim == 3 and array.shape[1] == self.width:
            return "x.swapaxes(1, 2) if the axes are (batch, channel, time)"
        if self.channel_names and not self.tokens:
            return f"the channels {', '.join(self.channel_names)}, in this order"
        return None


def _numbers(x: Any, where: str) -> np.ndarray:
    """Return an array or a tensor as an array of real numbers."""
    if hasattr(x, "detach"):
        x = x.detach().cpu()
    try:
        array = np.asarray(x)
    except ValueError as error:
        raise DataError(f"{where} is no array", got=str(error), expected="numbers") from error
    if array.dtype.kind not in "iuf":
        raise DataError(
            f"{where} holds no real numbers", got=f"dtype {array.dtype}", expected="numbers"
        )
    return array


def _counts(lengths: Any, batch: int, time: int) -> np.ndarray:
    if lengths is None:
        return np.full(batch, time, dtype=np.int64)
    counts = _numbers(lengths, "lengths")
    whole = counts.dtype.kind in "iu" and counts.shape == (batch,)
    if not whole or counts.min() < 1 or counts.max() > time:
        raise LayoutError(
            "lengths do not fit the input",
            got=f"{counts.dtype} of shape {counts.shape}" if not whole else counts.tolist(),
            expected=f"{batch} whole numbers in 1..{time}",
        )
    return counts.astype(np.int64)

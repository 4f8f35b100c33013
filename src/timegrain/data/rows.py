"""Sequences that are made ready as they are read, so that they need not be held."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from jaxtyping import Float32, Float64, Int64

from timegrain.core.errors import ConfigError
from timegrain.data.memory import check_fits, release


class MadeSequences(Sequence[np.ndarray]):
    """Sequences that are made by number, best several at a time; `(time, ...)` each."""

    @abstractmethod
    def chosen(self, index: Int64[np.ndarray, " chosen"]) -> "MadeSequences":
        """Return some of them; nothing is made."""

    @abstractmethod
    def made(self, index: Int64[np.ndarray, " chosen"]) -> Iterator[np.ndarray]:
        """Yield some of them, whole, in the order of `index`."""


class Rows(ABC):
    """What stands in the place of `Part.x` where it is not held: `(batch, time, channel)` float32.

    `read` gives a stretch of some sequences; numpy's `asarray` gives all, and needs the memory.

    Args:
        sequences: Each `(time, ...)`, memory-mapped or not, or made by number.
        time: Samples of the longest of the task, to which they are padded.
        width: Channels of what is read.
    """

    dtype = np.dtype(np.float32)
    ndim = 3

    def __init__(self, sequences: Sequence[np.ndarray], *, time: int, width: int) -> None:
        made = isinstance(sequences, MadeSequences)
        self.sequences: Sequence[np.ndarray] = sequences if made else tuple(sequences)
        self.shape = (len(self.sequences), time, width)

    def __len__(self) -> int:
        return self.shape[0]

    @overload
    def __getitem__(self, index: int) -> Float32[np.ndarray, "time channel"]: ...
    @overload
    def __getitem__(self, index: Int64[np.ndarray, " chosen"] | slice) -> "Rows": ...
    def __getitem__(self, index: Any) -> Any:
        """Return one sequence, read, as of an array; or some of them, of which nothing is read.

        Raises:
            IndexError: If there are none such, or several axes are asked for.
        """
        chosen = np.arange(len(self))[index]
        if chosen.ndim == 0:
            return self.read(chosen[None], 0, self.shape[1])[0]
        if chosen.ndim > 1:
            raise IndexError("sequences that are made ready as they are read have one index")
        if isinstance(self.sequences, MadeSequences):
            return self._of(self.sequences.chosen(chosen))
        return self._of([self.sequences[i] for i in chosen.tolist()])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Return all sequences.

        Raises:
            DataError: If they are larger than the memory of this machine.
            ValueError: If they are not to be made anew.
        """
        if copy is False:
            raise ValueError("sequences that are scaled as they are read cannot be shared")
        check_fits(4 * int(np.prod(self.shape)), "all sequences of a task at once")
        values = self.read(np.arange(len(self)), 0, self.shape[1])
        return values if dtype is None else values.astype(dtype, copy=False)

    def read(
        self, rows: Int64[np.ndarray, " chosen"], start: int, stop: int
    ) -> Float32[np.ndarray, "chosen time channel"]:
        """Return the samples from `start` on and before `stop` of some sequences, padded with 0.

        Args:
            rows: Numbers of the sequences.
            start: First sample.
            stop: The one behind the last.

        Raises:
            ConfigError: If the first is before 0.
            IndexError: If there is no such sequence.
        """
        if start < 0:
            raise ConfigError(
                "samples are numbered from 0", got=f"start={start}", expected="0 or more"
            )
        stop = min(stop, self.shape[1])
        values = np.zeros((len(rows), max(stop - start, 0), self.shape[2]), dtype=np.float32)
        for row, found in zip(values, self._stretches(rows, start, stop), strict=True):
            if len(found):
                row[: len(found)] = self._ready(np.asarray(found))
        return values

    def _stretches(
        self, rows: Int64[np.ndarray, " chosen"], start: int, stop: int
    ) -> Iterator[np.ndarray]:
        if isinstance(self.sequences, MadeSequences):
            yield from (sequence[start:stop] for sequence in self.sequences.made(rows))
            return
        for i in rows.tolist():
            yield self.sequences[i][start:stop]
            release(self.sequences[i])

    @abstractmethod
    def _of(self, sequences: Sequence[np.ndarray]) -> "Rows":
        """Return others that are made ready alike."""

    @abstractmethod
    def _ready(self, samples: np.ndarray) -> np.ndarray:
        """Return samples in a row as a network takes them, `(time, channel)`."""


class ScaledRows(Rows):
    """Real sequences, scaled; a missing sample is 0.

    Args:
        sequences: Each `(time, channel)`.
        time: As in `Rows`.
        center: Mean of each channel.
        scale: What each channel is divided by.

    Example:
        >>> one = np.ones(1)
        >>> rows = ScaledRows([np.array([[1.0], [3.0]])], time=3, center=one, scale=one)
        >>> rows.read(np.array([0]), 1, 3).ravel().tolist()
        [2.0, 0.0]
    """

    def __init__(
        self,
        sequences: Sequence[np.ndarray],
        *,
        time: int,
        center: Float64[np.ndarray, " channel"],
        scale: Float64[np.ndarray, " channel"],
    ) -> None:
        super().__init__(sequences, time=time, width=len(center))
        self.center, self.scale = center, scale

    def _of(self, sequences: Sequence[np.ndarray]) -> "ScaledRows":
        return ScaledRows(sequences, time=self.shape[1], center=self.center, scale=self.scale)

    def _ready(self, samples: np.ndarray) -> np.ndarray:
        # in float64, so that what is stored as float32 is not rounded twice
        scaled = (samples.astype(np.float64) - self.center) / self.scale
        return np.where(np.isnan(scaled), 0.0, scaled)


class IndicatorRows(Rows):
    """Tokens as indicators, one channel a symbol.

    Args:
        sequences: Each `(time,)` whole numbers.
        time: As in `Rows`.
        size: Number of symbols.
    """

    def __init__(self, sequences: Sequence[np.ndarray], *, time: int, size: int) -> None:
        super().__init__(sequences, time=time, width=size)

    def _of(self, sequences: Sequence[np.ndarray]) -> "IndicatorRows":
        return IndicatorRows(sequences, time=self.shape[1], size=self.shape[2])

    def _ready(self, samples: np.ndarray) -> np.ndarray:
        return (samples[:, None] == np.arange(self.shape[2])).astype(np.float32)

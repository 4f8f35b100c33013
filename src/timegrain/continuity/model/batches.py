"""A batch in parts that fit into memory."""

import math
from collections.abc import Callable, Mapping

import numpy as np

from timegrain.continuity.model.room import free_memory, held_memory
from timegrain.core.errors import ModelError

Readout = Mapping[str, np.ndarray]
SHARE = 0.5  # of the free memory that a run may be expected to take
LITTLE = 0.01  # of what was free when last looked: a run that takes less is not worth a look
FEW = 1024  # samples: a run of fewer shows little, and is not watched
_SAYINGS = ("out of memory", "not enough memory", "can't allocate", "cannot allocate", "alloc_fail")


class Batches:
    """Runs batches in parts: as large as fits by what earlier runs took, halved where one fails.

    What a run of `FEW` samples or more takes is seen where it raises the peak of the process. A
    longer input is expected to take what the growth from the two longest before says, from linear
    to quadratic, as attention does; after one only, quadratic.

    Args:
        free: Returns the bytes that are free; None where that is not known.
    """

    def __init__(self, *, free: Callable[[], float | None] = free_memory) -> None:
        self._free = free
        self._seen_free = 0.0
        self._taken: dict[int, float] = {}
        self._samples = math.inf  # in all sequences of a part; halved where one failed

    def run(
        self, call: Callable[[np.ndarray, float], Readout], x: np.ndarray, tau: float, *, most: int
    ) -> dict[str, np.ndarray]:
        """Return a call's readouts for a batch.

        Args:
            call: Maps a part of the batch and tau to readouts by name.
            x: `(batch, time, channel)`.
            tau: The step ratio.
            most: Sequences of a part at most.

        Raises:
            ModelError: If one sequence alone does not fit into memory.
        """
        size, start = min(most, self._fitting(x)), 0
        parts: list[Readout] = []
        while start < len(x):
            part = x[start : start + size]
            made = self._try(call, part, tau)
            if made is None:
                size = len(part) // 2
                self._samples = size * x.shape[1]
                continue
            parts.append(made)
            start += len(part)
        if len(parts) == 1:
            return dict(parts[0])
        return {name: np.concatenate([p[name] for p in parts]) for name in parts[0]}

    def _try(
        self, call: Callable[[np.ndarray, float], Readout], part: np.ndarray, tau: float
    ) -> Readout | None:
        """Return the readouts of a part; None if it does not fit into memory."""
        watched = part.shape[0] * part.shape[1] >= FEW
        before = held_memory() if watched else None
        try:
            made = call(part, tau)
        except (MemoryError, RuntimeError, ModelError) as error:
            if not out_of_memory(error):
                raise
            if len(part) == 1:
                raise ModelError(
                    "the model does not fit into memory",
                    got=f"one sequence of {part.shape[1]} samples",
                    hint="fewer levels, or a shorter length",
                ) from error
            return None
        after = held_memory() if watched else None
        if before is not None and after is not None:
            (used, peak), (_, most) = before, after
            self._note(part.shape, most - used, rose=most > peak)
        return made

    def _note(self, shape: tuple[int, ...], taken: float, *, rose: bool) -> None:
        """Keep what a run took at most, where that is a limit on longer inputs."""
        expected = self._expected(shape[1])
        if rose:
            self._taken[shape[1]] = taken / shape[0]
        elif expected is not None and taken > 0:  # less than what an earlier run took
            self._taken[shape[1]] = min(expected, taken / shape[0])

    def _fitting(self, x: np.ndarray) -> int:
        """Return how many sequences are expected to fit; at least 1."""
        length = x.shape[1]
        size = min(len(x), self._samples // length)
        expected = self._expected(length)
        if expected and size * expected > LITTLE * self._seen_free:
            free = self._free()
            if free is not None:
                self._seen_free = free
                size = min(size, SHARE * free // expected)
        return max(int(size), 1)

    def _expected(self, length: int) -> float | None:
        """Return the bytes that a sequence of a length is expected to take."""
        known = sorted(n for n in self._taken if n <= length)
        if not known:
            return None
        last = self._taken[known[-1]]
        growth = 2.0
        if len(known) > 1:
            before = known[-2]
            ratio = last / self._taken[before]
            growth = min(max(math.log(ratio) / math.log(known[-1] / before), 1.0), 2.0)
        return float(last * (length / known[-1]) ** growth)


def out_of_memory(error: BaseException | None) -> bool:
    """Return whether an error, or one that it came from, says that memory is used up.

    Example:
        >>> out_of_memory(RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"))
        True
        >>> out_of_memory(RuntimeError("mat1 and mat2 shapes cannot be multiplied"))
        False
    """
    while error is not None:
        if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
            return True
        if isinstance(error, RuntimeError) and any(s in str(error).lower() for s in _SAYINGS):
            return True
        error = error.__cause__
    return False

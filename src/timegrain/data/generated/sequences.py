"""Sequences of a generated source that are made as they are read."""

from collections.abc import Iterator
from copy import copy
from typing import Any, overload

import numpy as np
from jaxtyping import Int64

from timegrain.core.errors import DataError
from timegrain.data.generated.answers import block_size
from timegrain.data.generated.cases import Cases
from timegrain.data.generated.generator import Generator
from timegrain.data.rows import MadeSequences

# of cases read one after the other so many at most are made at once: a solver takes hardly longer
# for them than for one
AHEAD = 64


class CaseSequences(MadeSequences):
    """Cases by number, of which what was read last is kept.

    Where single cases are read in their order, those that follow are made with them, ever more at
    a time. They are the same numbers.

    Args:
        generator: Turned to its options.
        index: Numbers of the cases, `(case,)`.
        lengths: Samples of each, `(case,)`.
        seed: Of everything that is drawn.
        order: A permutation of the samples of every sequence, or None.
    """

    def __init__(
        self,
        generator: Generator,
        index: Int64[np.ndarray, " case"],
        lengths: Int64[np.ndarray, " case"],
        *,
        seed: int,
        order: Int64[np.ndarray, " time"] | None = None,
    ) -> None:
        self.generator, self.seed, self.order = generator, seed, order
        self.numbers, self.lengths = index, lengths
        one = generator.cases(index[:1], seed=seed).sequences
        self.dtype, self.width = one.dtype, one.shape[2:]
        self._block = block_size(one)
        # one pair, replaced as a whole, so that threads never see half of it
        self._last: tuple[bytes, list[np.ndarray]] = (b"", [])
        # the same: the first of the single cases made last, and those
        self._run: tuple[int, list[np.ndarray]] = (-1, [])

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs to make the cases, without those made here."""
        return {**self.__dict__, "_last": (b"", []), "_run": (-1, [])}

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, i: int) -> np.ndarray: ...
    @overload
    def __getitem__(self, i: slice) -> "CaseSequences": ...
    def __getitem__(self, i: int | slice) -> Any:
        """Return a sequence that is made when its samples are read; or several cases."""
        if isinstance(i, slice):
            return self.chosen(np.arange(len(self))[i])
        return CaseSequence(self, range(len(self))[i])

    def chosen(self, index: Int64[np.ndarray, " chosen"]) -> "CaseSequences":
        """Return some of them; nothing is made."""
        return self._with(self.numbers[index], self.lengths[index], self.order)

    def permuted(self, order: Int64[np.ndarray, " time"]) -> "CaseSequences":
        """Return those in which the samples of every sequence are in another order."""
        before = order if self.order is None else self.order[order]
        return self._with(self.numbers, self.lengths, before)

    def made(self, index: Int64[np.ndarray, " chosen"]) -> Iterator[np.ndarray]:
        """Yield some of them, whole, in the order of `index`."""
        if len(index) == 1:
            yield self.one(int(index[0]))
            return
        for at in range(0, len(index), self._block):
            yield from self._several(self.numbers[index[at : at + self._block]])

    def one(self, i: int) -> np.ndarray:
        """Return a case.

        Args:
            i: Its place among these, from 0; a negative one counts from the end.

        Raises:
            IndexError: If there is none.
        """
        i = range(len(self))[i]
        first, held = self._run
        if not first <= i < first + len(held):
            follows = bool(held) and i == first + len(held)
            count = min(2 * len(held), AHEAD, self._block) if follows else 1
            first, held = i, self._several(self.numbers[i : i + count])
            self._run = (first, held)
        return held[i - first]

    def _several(self, asked: Int64[np.ndarray, " case"]) -> list[np.ndarray]:
        key, held = self._last
        if key != asked.tobytes():
            cases = self.generator.cases(asked, seed=self.seed)
            check_sound(self.generator, cases, asked)
            held = [s[:n] for s, n in zip(cases.sequences, cases.known.tolist(), strict=True)]
            if self.order is not None:
                held = [s[self.order] for s in held]
            self._last = (asked.tobytes(), held)
        return held

    def _with(
        self,
        index: Int64[np.ndarray, " case"],
        lengths: Int64[np.ndarray, " case"],
        order: Int64[np.ndarray, " time"] | None,
    ) -> "CaseSequences":
        other = copy(self)
        other.numbers, other.lengths, other.order = index, lengths, order
        other._last, other._run = (b"", []), (-1, [])
        return other


def check_sound(generator: Generator, cases: Cases, index: Int64[np.ndarray, " case"]) -> None:
    """Check samples that no dataset holds and checks.

    Args:
        generator: What made them.
        cases: As it made them.
        index: Their numbers.

    Raises:
        DataError: If a sample is not finite, or no such symbol.
    """
    x = cases.sequences
    if generator.kind == "tokens":
        sound, what = (x >= 0) & (x < generator.n_symbols), "a symbol that it does not have"
    else:
        sound, what = np.isfinite(x), "a sample that is not finite"
    if not sound.all():
        case = int(np.argwhere(~sound)[0, 0])
        raise DataError(f"{generator.name!r} made {what}", got=f"in case {int(index[case])}")


class CaseSequence:
    """One of `CaseSequences`, which stands for its array and makes it when it is read.

    Args:
        of: What it is one of.
        number: Which.
    """

    def __init__(self, of: CaseSequences, number: int) -> None:
        self._of, self._number = of, number

    @property
    def shape(self) -> tuple[int, ...]:
        """`(time, channel)`, or `(time,)` for tokens."""
        return (int(self._of.lengths[self._number]), *self._of.width)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return 1 + len(self._of.width)

    @property
    def dtype(self) -> np.dtype:
        """Type of its numbers."""
        return self._of.dtype

    @property
    def size(self) -> int:
        """Numbers in it."""
        return int(np.prod(self.shape))

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Return the samples."""
        if copy is False:
            raise ValueError("a sequence that is made as it is read cannot be shared")
        # what was made is kept for the next reader, and not lent
        return np.array(self._of.one(self._number), dtype=dtype)

    def __getitem__(self, where: Any) -> np.ndarray:
        return np.asarray(self)[where]

    def __getattr__(self, name: str) -> Any:
        # astype, mean, max and the like are those of the array
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)

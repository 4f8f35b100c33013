"""A generated source as a dataset of which nothing is held but its labels."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from jaxtyping import Int64

from timegrain.core.errors import DataError
from timegrain.data.check import check_answers
from timegrain.data.dataset import Dataset
from timegrain.data.generated.answers import labels_and_lengths
from timegrain.data.generated.dataset import as_dataset, numbers
from timegrain.data.generated.generator import Generator
from timegrain.data.generated.sequences import CaseSequences
from timegrain.data.running_scale import RunningScale, scale_of

# by so many cases at most a channel is scaled; more change its deviation by less than a hundredth
SCALED_BY = 1024


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LazyDataset(Dataset):
    """A dataset whose sequences are made by number as they are read.

    What `Dataset` checks of sequences in memory is checked of these as they are made; labels, by
    `lazy_dataset`.
    """

    def __post_init__(self) -> None:
        """Check nothing, which would make all sequences."""

    @property
    def lengths(self) -> Int64[np.ndarray, " batch"]:
        """Samples in each sequence, `(batch,)`."""
        made: Sequence[np.ndarray] = self.sequences
        if isinstance(made, CaseSequences):
            return made.lengths
        return np.array([len(s) for s in made], dtype=np.int64)

    def permuted(self, seed: int = 0) -> Dataset:
        """Return the twin in which one fixed permutation of time was applied to every sequence.

        Raises:
            DataError: If lengths differ.
        """
        made: Sequence[np.ndarray] = self.sequences
        lengths = np.unique(self.lengths)
        if not isinstance(made, CaseSequences) or len(lengths) > 1:
            raise DataError(f"no permuted twin of {self.name!r}", expected="one length")
        order = np.random.default_rng(seed).permutation(int(lengths[0]))
        return replace(
            self,
            name=f"{self.name}-permuted",
            sequences=cast(tuple[np.ndarray, ...], made.permuted(order)),
            notes=(*self.notes, f"time was permuted, the same way in all sequences (seed {seed})"),
        )


def lazy_dataset(generator: Generator, *, seed: int = 0) -> LazyDataset:
    """Return what `generated_dataset` returns, with sequences that are made as they are read.

    Args:
        generator: Turned to its options and sizes.
        seed: Of everything that is drawn.

    Raises:
        ConfigError: If options do not fit each other.
        DataError: If labels are none of its classes, or no finite values.
    """
    index = numbers(generator)
    labels, lengths = labels_and_lengths(generator, index, seed=seed)
    sequences = CaseSequences(generator, index, lengths, seed=seed)
    made = as_dataset(
        generator, cast(tuple[np.ndarray, ...], sequences), labels, lengths, maker=LazyDataset
    )
    check_answers(made)
    return made


def lazy_scale(data: Dataset, train: Int64[np.ndarray, " train"]) -> RunningScale:
    """Return how a task scales sequences that are made as they are read.

    Args:
        data: Of the real kind.
        train: Which sequences are to be learnt from; the first `SCALED_BY` are looked at.
    """
    few = train[:SCALED_BY]
    made: Sequence[np.ndarray] = data.sequences
    held = tuple(made.made(few)) if isinstance(made, CaseSequences) else ()
    known = Dataset(name=data.name, sequences=held, channel_names=data.channel_names)
    return scale_of(known, np.arange(len(few)))

"""Sequences that were measured alike, with what is known about their time."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from jaxtyping import Float64, Int64

from timegrain.core.errors import DataError
from timegrain.data.audit.result import TimestampAudit
from timegrain.data.check import check_dataset


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Dataset:
    """Sequences of one kind, in memory or memory-mapped.

    Args:
        name: What it is called in results.
        sequences: One array a sequence: `(time, channel)` float64 or float32, NaN where a sample
            is missing, or `(time,)` whole numbers >= 0 for tokens.
        labels: One a sequence, `(batch,)`: int64 numbers of classes, or float64 values, also
            several a sequence, `(batch, output)`.
        class_names: Name of each class; empty when labels are values or absent.
        n_train: The first so many sequences are the published training part, or None.
        n_validation: The next so many are the published validation part; 0 where there is none.
        channel_names: One a channel, or empty.
        vocabulary: The symbol each token stands for, or empty.
        dt: Step between samples, in `unit`; with `times`, their median step.
        unit: Time unit; `"sample"` when the step is unknown.
        kind: `"real"` or `"tokens"`.
        times: Instants of each sequence, strictly increasing, when they are irregular.
        ids: Name of the recording each sequence is part of, or empty.
        groups: Numbers, `(batch,)`: sequences of one number, such as those of one person, never
            stand on both sides of a split. None where every sequence is its own group.
        starts: First sample of each sequence within its recording, `(batch,)`; None where
            sequences are whole recordings.
        targets: One target a sample, `(time,)` for each sequence: int64 numbers of classes, -1
            where no answer is asked, or float64 values, NaN where unknown.
        audits: What was found in the timestamps of each recording, and what was done about it.
        source: One-line citation.
        notes: Sentences a reader of results must see.
        version: Of the shipped set, as its card says: another one, other numbers. None where the
            sequences are yours.
        options: What was said of how a generated set is made, and the dials that were turned, by
            name; what a result has to store to be made again.

    Raises:
        DataError: If a part does not fit the others, or a sequence has fewer than two samples.

    Example:
        >>> Dataset(name="ramp", sequences=(np.arange(6.0).reshape(3, 2),))
        ramp: 1 sequence x 2 channels, length 3, dt 1 sample
    """

    name: str
    sequences: tuple[np.ndarray, ...]
    labels: np.ndarray | None = None
    class_names: tuple[str, ...] = ()
    n_train: int | None = None
    n_validation: int = 0
    channel_names: tuple[str, ...] = ()
    vocabulary: tuple[str, ...] = ()
    dt: float = 1.0
    unit: str = "sample"
    kind: Literal["real", "tokens"] = "real"
    times: tuple[np.ndarray, ...] | None = None
    ids: tuple[str, ...] = ()
    groups: np.ndarray | None = None
    starts: np.ndarray | None = None
    targets: tuple[np.ndarray, ...] | None = None
    audits: tuple[TimestampAudit, ...] = ()
    source: str = ""
    notes: tuple[str, ...] = ()
    version: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_dataset(self)

    def __len__(self) -> int:
        return len(self.sequences)

    def __repr__(self) -> str:
        return self.describe()

    @property
    def lengths(self) -> Int64[np.ndarray, " batch"]:
        """Samples in each sequence, `(batch,)`."""
        return np.array([len(s) for s in self.sequences], dtype=np.int64)

    @property
    def n_channels(self) -> int:
        """Channels in every sequence; 1 for tokens."""
        return 1 if self.kind == "tokens" else int(self.sequences[0].shape[1])

    @property
    def versioned(self) -> dict[str, Any]:
        """What a result stores to say of which version of a set it is, and with which options.

        Empty for sequences of yours as they are.
        """
        version = {} if self.version is None else {"data_version": self.version}
        return {**version, **({"data_options": dict(self.options)} if self.options else {})}

    def describe(self) -> str:
        """Return one line with the number of sequences, channels, the length and the step."""
        shortest, longest = int(self.lengths.min()), int(self.lengths.max())
        length = f"{longest}" if shortest == longest else f"{shortest} to {longest}"
        width = (
            f"tokens of {len(self.vocabulary) or '?'} kinds"
            if self.kind == "tokens"
            else _count(self.n_channels, "channel")
        )
        step = f"dt {self.dt:.6g} {self.unit}" if self.times is None else f"times in {self.unit}"
        return f"{self.name}: {_count(len(self), 'sequence')} x {width}, length {length}, {step}"

    def stacked(
        self,
    ) -> tuple[
        Float64[np.ndarray, "batch time channel"] | Int64[np.ndarray, "batch time"],
        Int64[np.ndarray, " batch"],
    ]:
        """Return one padded array and the lengths.

        Returns:
            Real data as `(batch, time, channel)` float64, padded with NaN; tokens as
            `(batch, time)`, padded with -1; and the lengths, `(batch,)`.
        """
        lengths = self.lengths
        shape = (len(self), int(lengths.max()), *self.sequences[0].shape[1:])
        padded = (
            np.full(shape, -1, dtype=np.int64) if self.kind == "tokens" else np.full(shape, np.nan)
        )
        for row, sequence in zip(padded, self.sequences, strict=True):
            row[: len(sequence)] = sequence
        return padded, lengths

    def permuted(self, seed: int = 0) -> "Dataset":
        """Return the twin in which one fixed permutation of time was applied to every sequence.

        The values, and any label's information, stay; neighbours in time do not. The order is
        `numpy.random.default_rng(seed).permutation(length)`.

        Args:
            seed: Of the permutation.

        Raises:
            DataError: If lengths differ, or the data are sampled irregularly.
        """
        if len(set(self.lengths.tolist())) > 1:
            raise DataError(
                f"no permuted twin of {self.name!r}: one permutation needs one length",
                got=f"lengths {self.lengths.min()} to {self.lengths.max()}",
                hint="a set whose sequences are equally long",
            )
        if self.times is not None:
            raise DataError(f"no permuted twin of {self.name!r}", got="irregular times")
        order = np.random.default_rng(seed).permutation(len(self.sequences[0]))
        return replace(
            self,
            name=f"{self.name}-permuted",
            sequences=tuple(s[order] for s in self.sequences),
            notes=(*self.notes, f"time was permuted, the same way in all sequences (seed {seed})"),
        )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"

"""A labelled dataset split into what a model learns from and what it is scored on."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float32, Int64

from timegrain.data.dataset import Dataset
from timegrain.data.rows import Rows


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Part:
    """One side of a split.

    Args:
        x: `(batch, time, channel)` float32, padded with zeros; it may be memory-mapped, or read
            and scaled a stretch at a time (`load_task(..., lazy=True)`).
        lengths: Samples that exist in each sequence, `(batch,)`.
        y: `(batch,)`: int64 numbers of classes, or float32 values; `(batch, output)` where there
            are several values a sequence; `(batch, time)` where there is one a sample, of classes
            -1 where no answer is asked, which neither a loss nor a score counts.
        index: Which sequences of the dataset these are, `(batch,)`.
    """

    x: Float32[np.ndarray, "batch time channel"] | Rows
    lengths: Int64[np.ndarray, " batch"]
    y: np.ndarray
    index: Int64[np.ndarray, " batch"]

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(
        self, i: int
    ) -> tuple[Float32[np.ndarray, "time channel"], np.int64, np.ndarray]:
        """Return one case, as a `torch.utils.data.DataLoader` asks for it.

        Args:
            i: Which, from `-len(self)` to `len(self) - 1`.

        Returns:
            `(x, length, y)`, x padded with zeros to the longest of the task.

        Raises:
            IndexError: If there is none such.
        """
        return self.__getitems__([int(np.arange(len(self))[operator.index(i)])])[0]

    def __getitems__(
        self, chosen: Sequence[int]
    ) -> list[tuple[Float32[np.ndarray, "time channel"], np.int64, np.ndarray]]:
        """Return some cases, read together, as `DataLoader` asks for those of a batch."""
        part = self.take(np.asarray(chosen, dtype=np.int64))
        return list(zip(np.asarray(part.x), part.lengths, part.y, strict=True))

    def take(self, i: Int64[np.ndarray, " chosen"]) -> "Part":
        """Return some of the sequences.

        Args:
            i: Which, `(chosen,)`, each in `0..len(self)-1`.
        """
        return Part(x=self.x[i], lengths=self.lengths[i], y=self.y[i], index=self.index[i])

    def __repr__(self) -> str:
        return f"Part(x={self.x.shape}, y={self.y.dtype}{self.y.shape})"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Task:
    """What to predict from which sequences, and how it is scored.

    Args:
        name: What it is called in results.
        train: What a model learns from.
        test: What it is scored on.
        target_kind: `"class"` or `"value"`.
        n_classes: Number of classes; None for values.
        metric: `"accuracy"`, or `"r2"`: one minus the squared error over the variance of the
            scored targets; of several values, both are summed over them, each in units of its
            deviation in the training part.
        trivial_score: Score of the commonest training class, or of the training mean.
        dt: Step between samples, in `unit`.
        unit: Time unit.
        dataset: Where it comes from, unscaled.
        notes: Sentences a reader of results must see, the dataset's included.
        n_outputs: Values to predict for each sequence; 1 for classes.
        ahead: Samples behind a sequence's last that its target looks at.
        validation: What the source sets aside to choose among models; None where it does not.
    """

    name: str
    train: Part
    test: Part
    target_kind: Literal["class", "value"]
    n_classes: int | None
    metric: Literal["accuracy", "r2"]
    trivial_score: float
    dt: float
    unit: str
    dataset: Dataset
    notes: tuple[str, ...] = ()
    n_outputs: int = 1
    ahead: int = 0
    validation: Part | None = None

    @property
    def d_input(self) -> int:
        """Channels of `x`; for tokens, the size of the vocabulary."""
        return int(self.train.x.shape[2])

    @property
    def d_output(self) -> int:
        """Numbers a model gives: one a class, or one a value."""
        return self.n_outputs if self.n_classes is None else self.n_classes

    def __repr__(self) -> str:
        values = "a value" if self.n_outputs == 1 else f"{self.n_outputs} values"
        target = values if self.n_classes is None else f"{self.n_classes} classes"
        held = "" if self.validation is None else f"{len(self.validation):,} to validate, "
        return (
            f"{self.name}: {len(self.train):,} to train, {held}{len(self.test):,} to test, "
            f"{target}, "
            f"{self.train.x.shape[1]} x {self.d_input}, trivial {self.metric} "
            f"{self.trivial_score:.3f}"
        )

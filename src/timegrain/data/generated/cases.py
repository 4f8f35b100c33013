"""What a generator makes: some cases, side by side."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Cases:
    """Arrays of some cases, in the order in which they were asked for.

    Args:
        sequences: `(case, time, channel)` float64; or `(case, time)` int64 tokens.
        labels: `(case,)` int64 numbers of classes; `(case, value)` float64; or `(case, time)`, an
            answer a sample, int64 with -1 where none is asked, or float64.
        lengths: Samples that exist in each, `(case,)` int64; those behind are 0. None where all do.
    """

    sequences: Float64[np.ndarray, "case time channel"] | Int64[np.ndarray, "case time"]
    labels: np.ndarray
    lengths: Int64[np.ndarray, " case"] | None = None

    def __len__(self) -> int:
        return len(self.sequences)

    def __repr__(self) -> str:
        return f"Cases(sequences={self.sequences.shape}, labels={self.labels.shape})"

    @property
    def known(self) -> Int64[np.ndarray, " case"]:
        """Samples that exist in each case, `(case,)`."""
        if self.lengths is not None:
            return self.lengths
        return np.full(len(self.sequences), self.sequences.shape[1], dtype=np.int64)

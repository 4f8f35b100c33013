"""Part of a recording through which its clock runs forward."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, kw_only=True, eq=False)
class Stretch:
    """Consecutive samples of one recording.

    Args:
        times: Instants, `(time,)`, strictly increasing once audited.
        values: `(time, channel)`, NaN where a sample is missing.
        target: One a sample, `(time,)`: int64 classes or float64 values; None without.
        start: First sample within the recording.
    """

    times: np.ndarray
    values: np.ndarray
    target: np.ndarray | None = None
    start: int = 0

    def __len__(self) -> int:
        return len(self.times)

    def rows(self, chosen: slice | np.ndarray) -> "Stretch":
        """Return some of the samples; a slice copies nothing.

        Args:
            chosen: Which.
        """
        return Stretch(
            times=self.times[chosen],
            values=self.values[chosen],
            target=None if self.target is None else self.target[chosen],
            start=self.start,
        )

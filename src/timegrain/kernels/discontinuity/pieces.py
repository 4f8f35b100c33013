"""Where the pieces of a flat array of samples begin and end, and how their sums are grouped."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64


@dataclass(frozen=True, kw_only=True, eq=False)
class Pieces:
    """Pieces `start:stop` of samples that lie one after the other in a flat array.

    Args:
        starts: First sample of each piece, shape `(piece,)`.
        stops: One past the last sample of each piece, shape `(piece,)`.
        groups: The group each piece adds to (its sequence), shape `(piece,)`.
        n_groups: Number of groups.
        n_segments: 1, or the number of equal stretches of time that the intervals of one single
            piece are grouped by; then a group is a segment.
        times: Instants of the samples, shape `(sample,)`; empty on a uniform grid.

    Example:
        >>> Pieces.whole([3, 4]).starts
        array([0, 3])
    """

    starts: Int64[np.ndarray, " piece"]
    stops: Int64[np.ndarray, " piece"]
    groups: Int64[np.ndarray, " piece"]
    n_groups: int
    n_segments: int
    times: Float64[np.ndarray, " sample"]

    @classmethod
    def whole(cls, lengths: "list[int] | Int64[np.ndarray, ' sequence']") -> "Pieces":
        """Return one piece and one group for each sequence of the given lengths."""
        stops = np.cumsum(np.asarray(lengths, dtype=np.int64))
        count = len(stops)
        return cls(
            starts=stops - np.asarray(lengths, dtype=np.int64),
            stops=stops,
            groups=np.arange(count, dtype=np.int64),
            n_groups=count,
            n_segments=1,
            times=np.empty(0),
        )

    def __len__(self) -> int:
        return len(self.starts)

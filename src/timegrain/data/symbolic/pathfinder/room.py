"""Where on a picture a curve may still go."""

import math

import numpy as np
from jaxtyping import Bool, Int16

Point = tuple[float, float]


class Stamp:
    """The cells that a segment takes from others, in a part of the picture.

    Args:
        part: Rows and columns of cells.
        cells: Which of them.
    """

    def __init__(self, part: tuple[slice, slice], cells: Bool[np.ndarray, "row column"]) -> None:
        self.part, self.cells = part, cells


class Room:
    """The cells that are free, as one curve sees them.

    A segment is let through where its places, no more than a cell apart, are in free cells. A cell
    is taken when its middle is within `distance` of a segment. So what is let through stays further
    than `distance` less 1.21 cells away: no place is further from the middle of its cell than 0.71
    of it, and no point of the segment further from a place than half of it.

    Args:
        side: Pixels of a side.
        fine: Cells on the side of a pixel.
        distance: How far curves stay from each other.
        edge: How far they stay from the edges.
    """

    def __init__(self, side: int, *, fine: int, distance: float, edge: float) -> None:
        self.side, self.fine, self.distance = side, fine, distance
        middles = (np.arange(fine * side) + 0.5) / fine
        far = (middles > edge) & (middles < side - edge)
        self.middles = middles
        # how many segments have taken a cell, the edges for ever
        self._hold(np.where(far[:, None] & far[None, :], 0, 1).astype(np.int16))

    def copy(self) -> "Room":
        """Return a room that can be taken on its own."""
        other = object.__new__(Room)
        other.side, other.fine, other.distance = self.side, self.fine, self.distance
        other.middles = self.middles
        other._hold(self.taken.copy())
        return other

    def _hold(self, taken: Int16[np.ndarray, "row column"]) -> None:
        self.taken, self.look = taken, taken.data

    def free(self, a: Point, b: Point) -> bool:
        """Return whether a segment can be drawn.

        Args:
            a: Where it begins, `(x, y)`.
            b: Where it ends.
        """
        if min(*a, *b) < 0 or max(*a, *b) >= self.side:
            return False
        fine, look = self.fine, self.look
        n = max(math.ceil(fine * math.dist(a, b)), 1)
        x, y = fine * a[0], fine * a[1]
        dx, dy = fine * (b[0] - a[0]) / n, fine * (b[1] - a[1]) / n
        # from the far end, where most are turned away; numpy's calls take longer than so few places
        return all(not look[int(y + k * dy), int(x + k * dx)] for k in range(n, -1, -1))

    def somewhere(self, random: np.random.Generator) -> Point | None:
        """Return a uniform place in the free cells; None if there are none.

        Args:
            random: Draws it.
        """
        cells = np.flatnonzero(self.taken == 0)
        if not cells.size:
            return None
        row, column = divmod(int(cells[int(random.integers(0, cells.size))]), len(self.taken))
        return (column + random.random()) / self.fine, (row + random.random()) / self.fine

    def stamp(self, a: Point, b: Point) -> Stamp:
        """Return the cells that a segment takes from others.

        Args:
            a: Where it begins, `(x, y)`.
            b: Where it ends.
        """
        columns, rows = (self._around(a[k], b[k]) for k in (0, 1))
        x, y = self.middles[columns][None, :], self.middles[rows][:, None]
        return Stamp((rows, columns), distances(x, y, a, b) <= self.distance)

    def take(self, stamp: Stamp) -> None:
        """Take the cells of a segment.

        Args:
            stamp: Of that segment.
        """
        self.taken[stamp.part] += stamp.cells

    def give_back(self, stamp: Stamp) -> None:
        """Undo `take`.

        Args:
            stamp: As it was taken.
        """
        self.taken[stamp.part] -= stamp.cells

    def _around(self, a: float, b: float) -> slice:
        low = math.floor(self.fine * (min(a, b) - self.distance))
        high = math.ceil(self.fine * (max(a, b) + self.distance))
        return slice(max(low, 0), max(high + 1, 0))


def distances(x: np.ndarray, y: np.ndarray, a: Point, b: Point) -> np.ndarray:
    """Return how far points are from a segment.

    Args:
        x: Of the points, of any shape that fits `y`.
        y: Of the points.
        a: Where the segment begins, `(x, y)`.
        b: Where it ends.

    Example:
        >>> distances(np.array([0.0, 5.0]), np.array([1.0, 4.0]), (0.0, 0.0), (2.0, 0.0)).tolist()
        [1.0, 5.0]
    """
    along = (b[0] - a[0], b[1] - a[1])
    square = along[0] ** 2 + along[1] ** 2
    dx, dy = x - a[0], y - a[1]
    t = (dx * along[0] + dy * along[1]) / square if square else np.zeros(())
    t = np.clip(t, 0.0, 1.0)
    return np.hypot(dx - t * along[0], dy - t * along[1])

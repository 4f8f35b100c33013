"""The nodes that cover a run of leaves, grown and joined in one order only."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64

from timegrain.kernels.discontinuity.forest import numba_
from timegrain.kernels.discontinuity.tile.numba_ import tile_size
from timegrain.kernels.discontinuity.version import version

MOST_BLOCKS = 64
_EDGES = 2 * 64 + 2  # nodes below the highest level at both ends of a run, and one on its way
_LEAVES = 8  # a tile, so that a short series has blocks too


@dataclass(frozen=True, kw_only=True)
class Grain:
    """What the nodes are of: fixed for all of them.

    Args:
        channels: Of the samples.
        strides: Whole numbers >= 2, ascending.
        window: Samples a piece, or None for stretches of whole sequences.
        detrend: Whether variation is about a line.
        tokens: Whether samples are symbols.
    """

    channels: int
    strides: tuple[int, ...]
    window: int | None
    detrend: bool
    tokens: bool

    @property
    def used(self) -> Int64[np.ndarray, " stride"]:
        """The strides that fit into a piece."""
        return np.array([k for k in self.strides if not self.window or k < self.window])

    @property
    def size(self) -> int:
        """Samples taken together: a tile, or a piece."""
        return self.window or tile_size(max(self.strides))

    @property
    def leaf(self) -> int:
        """Samples a leaf."""
        return self.window or self.size // _LEAVES

    @property
    def reach(self) -> int:
        """Samples behind a tile that its intervals need."""
        return 0 if self.window else max(self.strides)

    @property
    def columns(self) -> int:
        """Numbers a node and channel."""
        return numba_.COLUMNS + 5 * len(self.used)


@dataclass(frozen=True, kw_only=True, eq=False)
class Nodes:
    """Aligned nodes that cover leaves `first .. last` without gap, none two of them halves of one.

    Node `i` covers leaves `index * 2^level .. (index + 1) * 2^level`. Levels end where at most 64
    nodes of that level would cover the run.

    Args:
        first: First leaf.
        last: One behind the last leaf.
        values: `(node, channel, column)`.
        levels: `(node,)`.
        indices: `(node,)`.
    """

    first: int
    last: int
    values: Float64[np.ndarray, "node channel column"]
    levels: Int64[np.ndarray, " node"]
    indices: Int64[np.ndarray, " node"]

    @classmethod
    def none(cls, grain: Grain, first: int) -> "Nodes":
        """Return the nodes of no leaf, before leaf `first`."""
        empty = np.empty(0, dtype=np.int64)
        values = np.empty((0, grain.channels, grain.columns))
        return cls(first=first, last=first, values=values, levels=empty, indices=empty)


def highest_level(first: int, last: int) -> int:
    """Return the lowest level at which at most 64 nodes cover leaves `first .. last`.

    Example:
        >>> highest_level(0, 64), highest_level(0, 65), highest_level(63, 129)
        (0, 1, 1)
    """
    level = 0
    while -(-last >> level) - (first >> level) > MOST_BLOCKS:
        level += 1
    return level


def grow(nodes: Nodes, samples: np.ndarray, tiles: int, grain: Grain) -> Nodes:
    """Return the nodes with those of the next tiles behind them.

    Args:
        nodes: Of a run that ends where a tile begins.
        samples: `(sample, channel)` float64 from there, with `grain.reach` more behind the tiles
            unless the sequence ends; `(sample,)` int64 for tokens.
        tiles: Number of tiles; the last one may be cut short by the end of the sequence.
        grain: What the nodes are of.
    """
    per_tile = grain.size // grain.leaf
    end = -(-min(len(samples), tiles * grain.size) // grain.leaf)
    last = nodes.last + end
    room, highest = _room(nodes, last, grain)
    first = nodes.last // per_tile
    values, levels, indices, count = room
    stack = (highest, values, levels, indices, count)
    if grain.tokens:
        _, index = np.unique(samples, return_inverse=True)
        words, many = np.ascontiguousarray(index, dtype=np.int64), int(index.max(initial=0)) + 1
        whole = grain.window is not None
        count = numba_.grow_tokens(
            version(), words, many, nodes.last, end, grain.leaf, whole, grain.used, *stack
        )
    elif grain.window:
        size = tile_size(int(grain.used.max()))
        count = numba_.grow_pieces(
            version(), samples, first, tiles, grain.window, size, grain.used, grain.detrend, *stack
        )
    else:
        count = numba_.grow_stretches(
            version(),
            samples,
            first,
            tiles,
            grain.size,
            grain.leaf,
            grain.used,
            grain.detrend,
            *stack,
        )
    return _trimmed(nodes.first, last, room, count)


def join(left: Nodes, right: Nodes, grain: Grain) -> Nodes:
    """Return the nodes of two runs of which the right one begins where the left one ends."""
    room, highest = _room(left, right.last, grain)
    values, levels, indices, count = room
    others = (right.values, right.levels, right.indices)
    count = numba_.push_all(
        version(), *others, highest, grain.leaf, grain.window is not None, grain.detrend,
        values, levels, indices, count,
    )  # fmt: skip
    return _trimmed(left.first, right.last, room, count)


_Room = tuple[np.ndarray, np.ndarray, np.ndarray, int]


def _room(nodes: Nodes, last: int, grain: Grain) -> tuple[_Room, int]:
    """Return arrays with room for a longer run, filled with the nodes there are."""
    highest = highest_level(nodes.first, last)
    most = MOST_BLOCKS + _EDGES
    values = np.empty((most, grain.channels, grain.columns))
    levels, indices = (np.empty(most, dtype=np.int64) for _ in range(2))
    count = numba_.push_all(
        version(), nodes.values, nodes.levels, nodes.indices, highest, grain.leaf,
        grain.window is not None, grain.detrend, values, levels, indices, 0,
    )  # fmt: skip
    return (values, levels, indices, count), highest


def _trimmed(first: int, last: int, room: _Room, count: int) -> Nodes:
    values, levels, indices, _ = room
    return Nodes(
        first=first,
        last=last,
        values=values[:count].copy(),
        levels=levels[:count].copy(),
        indices=indices[:count].copy(),
    )


def blocks(nodes: Nodes, grain: Grain) -> Float64[np.ndarray, "block channel column"]:
    """Return the nodes of the highest level, the last of them put together from its parts."""
    highest = highest_level(nodes.first, nodes.last)
    out: list[np.ndarray] = []
    place, begin = -1, 0
    for value, level, index in zip(nodes.values, nodes.levels, nodes.indices, strict=True):
        block = int(index) >> (highest - int(level))
        start = int(index) << int(level)
        if block != place:
            out.append(value.copy())
            place, begin = block, start
        else:
            merge(out[-1], value, (start - begin) * grain.leaf, grain)
    return np.stack(out)


def merge(a: np.ndarray, b: np.ndarray, offset: int, grain: Grain) -> None:
    """Add node `b`, which begins `offset` samples behind the begin of `a`, to `a`."""
    if grain.window is not None:
        numba_.merge_pieces(a, b)
    else:
        numba_.merge_stretches(version(), a, b, float(offset), grain.detrend)


def total(parts: np.ndarray, grain: Grain) -> Float64[np.ndarray, "channel column"]:
    """Return blocks that follow each other, put together from the first to the last."""
    out = parts[0].copy()
    for part in parts[1:]:
        merge(out, part, int(out[0, numba_.LENGTH]), grain)
    return out

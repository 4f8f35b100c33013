"""A run of samples of one sequence without a gap: the nodes of its middle, and both ends raw."""

from dataclasses import dataclass, field

import numpy as np

from timegrain.kernels.discontinuity.forest.nodes import Grain, Nodes, grow, join


@dataclass(kw_only=True, eq=False)
class Run:
    """Samples `start .. stop` of a sequence.

    Tiles lie at multiples of their length; those that are whole, with the samples behind them that
    their intervals need, are nodes. What lies before the first and behind the last of them is kept
    as it came.

    Args:
        start: First sample.
        stop: One behind the last sample.
        nodes: Of the whole tiles, or None before there is one.
        head: Samples from `start` that a run before this one will need; empty without nodes, or
            where the sequence begins.
        tail: Samples behind the nodes, in the parts they came in; all of them without nodes.
    """

    start: int
    stop: int
    nodes: Nodes | None = None
    head: np.ndarray | None = None
    tail: list[np.ndarray] = field(default_factory=list)

    def copy(self) -> "Run":
        """Return a run that may grow while this one stays; arrays are never written to."""
        return Run(
            start=self.start, stop=self.stop, nodes=self.nodes, head=self.head, tail=[*self.tail]
        )


def extend(run: Run, samples: np.ndarray, grain: Grain) -> None:
    """Put samples behind a run, and make nodes of the tiles that are then whole.

    Args:
        run: To be changed.
        samples: Those that follow its last one; what is kept of them is copied.
        grain: What the nodes are of.
    """
    run.stop += len(samples)
    first = _first_tile(run, grain)
    tiles = (run.stop - grain.reach) // grain.size - first
    if tiles <= 0:
        run.tail.append(samples.copy())
        return
    raw = _joined([*run.tail, samples])
    at = run.stop - len(raw)
    body = raw[first * grain.size - at :]
    if run.nodes is None:
        per_tile = grain.size // grain.leaf
        run.nodes = Nodes.none(grain, first * per_tile)
        run.head = raw[: first * grain.size + grain.reach - at if run.start else 0].copy()
    run.nodes = grow(run.nodes, body[: tiles * grain.size + grain.reach], tiles, grain)
    run.tail = [body[tiles * grain.size :].copy()]


def follow(run: Run, other: Run, grain: Grain) -> None:
    """Put a run behind the one it follows.

    Args:
        run: To be changed.
        other: Begins where `run` stops; left as it is.
        grain: What the nodes are of.
    """
    if other.nodes is None or other.head is None:
        for part in other.tail:
            extend(run, part, grain)
        return
    extend(run, other.head, grain)
    if run.nodes is None:  # no whole tile lies between
        run.nodes = Nodes.none(grain, other.nodes.first)
        run.head = _joined(run.tail)[: None if run.start else 0].copy()
    run.nodes = join(run.nodes, other.nodes, grain)
    run.tail, run.stop = [*other.tail], other.stop


def closed(run: Run, grain: Grain) -> Nodes | None:
    """Return the nodes of a whole sequence, its last tiles cut short; None if there is no leaf.

    Args:
        run: Begins at 0; left as it is.
        grain: What the nodes are of. A rest shorter than a piece is left out.
    """
    raw = _joined(run.tail)
    nodes = run.nodes or Nodes.none(grain, 0)
    tiles = len(raw) // grain.size if grain.window else -(-len(raw) // grain.size)
    if tiles:
        nodes = grow(nodes, raw, tiles, grain)
    return nodes if nodes.last else None


def raw_samples(run: Run) -> np.ndarray:
    """Return the samples behind the nodes."""
    return _joined(run.tail)


def _first_tile(run: Run, grain: Grain) -> int:
    """The tile that is made a node next."""
    if run.nodes is None:
        return -(-run.start // grain.size)
    return run.nodes.last * grain.leaf // grain.size


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)

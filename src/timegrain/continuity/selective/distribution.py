"""How steps, stiffness and memory are distributed over time, channels and states."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from timegrain.continuity.selective.layers import Selected
from timegrain.continuity.selective.result import ChannelRow, DistributionRow

PERCENTILES = (5.0, 25.0, 50.0, 75.0, 95.0)


def distribution_rows(
    seen: Mapping[float, Sequence[Sequence[Selected]]], *, dt: float
) -> tuple[DistributionRow, ...]:
    """Return the distributions by layer, amplitude and quantity.

    Args:
        seen: Amplitude to what the layers of each pair's model select.
        dt: Step of the working grid, in time units.
    """

    def rows() -> Iterator[DistributionRow]:
        for layer in dict.fromkeys(s.name for pairs in seen.values() for p in pairs for s in p):
            for amplitude, pairs in seen.items():
                found = [s for pair in pairs for s in pair if s.name == layer]
                yield from _rows(layer, amplitude, found, dt)

    return tuple(rows())


def channel_rows(first: Sequence[Selected]) -> tuple[ChannelRow, ...]:
    """Return the steps of each channel.

    Args:
        first: What the layers of one model select.
    """
    return tuple(
        ChannelRow(layer=s.name, channel=i, low=float(a), median=float(b), high=float(c))
        for s in first
        for i, (a, b, c) in enumerate(np.percentile(s.delta, [5.0, 50.0, 95.0], axis=(0, 1)).T)
    )


def _rows(
    layer: str, amplitude: float, found: Sequence[Selected], dt: float
) -> Iterator[DistributionRow]:
    quantities: dict[str, list[np.ndarray]] = {}
    above = []
    for one in found:
        stiffness = one.delta[..., None] * np.abs(one.poles)
        above.append(float((stiffness > 1.0).mean()))
        low, high = np.percentile(one.delta, [5.0, 95.0], axis=(0, 1))
        measured = {
            "delta": one.delta,
            "stiffness": stiffness,
            "memory": dt / stiffness,
            "swing": high / low,
        }
        for name, values in measured.items():
            quantities.setdefault(name, []).append(np.percentile(values, PERCENTILES))
    for name, pairs in quantities.items():
        low, lower, median, upper, high = (float(v) for v in np.median(np.stack(pairs), axis=0))
        yield DistributionRow(
            layer=layer,
            quantity=name,
            amplitude=amplitude,
            low=low,
            lower=lower,
            median=median,
            upper=upper,
            high=high,
            above_one=float(np.median(above)) if name == "stiffness" else None,
        )

"""Every k-th sample of a signal."""

from timegrain.core.signal import Signal


def coarsen(signal: Signal, stride: int, *, offset: int = 0) -> Signal:
    """Return every `stride`-th sample, from sample `offset` on; nothing is averaged.

    Args:
        signal: Values of shape `(batch, time, channel)` on a uniform grid.
        stride: Whole number >= 1.
        offset: Sample that comes first, in `0..n-1`.

    Returns:
        A signal with step `stride * dt`; its first time is that of sample `offset`.

    Raises:
        GridError: If `stride < 1` or there is no sample at `offset`.

    Note:
        Content above the new Nyquist frequency is aliased. Where sequences have `lengths`, divide
        them with `coarse_lengths`, which rounds as this function does.

    Example:
        >>> import numpy as np
        >>> from timegrain.core import TimeGrid
        >>> x = Signal(values=np.arange(5.0).reshape(1, 5, 1), grid=TimeGrid(dt=1.0, n=5))
        >>> coarsen(x, 2, offset=1).values.ravel().tolist()
        [1.0, 3.0]
    """
    grid = signal.grid.coarsen(stride, offset=offset)
    values = signal.values[:, offset::stride]
    return Signal(values=values, grid=grid, function=signal.function, name=signal.name)

"""Brownian motion: one path, however finely it is read."""

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import ConfigError
from timegrain.core.seeds import stream
from timegrain.core.signal import Function
from timegrain.data.signals.checks import check_draw

HALVINGS = 20

Path = Float64[np.ndarray, "time channel"]


def brownian(
    *, duration: float, dt: float, n_channels: int = 1, seed: int = 0, pair: int = 0
) -> Function:
    r"""Return a path of Brownian motion for each channel, exact in law on nested grids.

    The path on the grid of step `dt` is drawn first. Halving the step draws the midpoints given
    their two neighbours, from numbers of their own, and leaves the others as they are: all grids
    show one path.

    Args:
        duration: Length T of the window, > 0; the path lives on it.
        dt: Step of the coarsest grid, > 0.
        n_channels: Channels, drawn independently.
        seed: Seed of the family.
        pair: Number of the draw.

    Returns:
        A function from times, `(time,)`, all multiples of `dt / 2^j` with a `j <= 20`, to values,
        `(1, time, n_channels)`; it raises ConfigError at others.

    Raises:
        ConfigError: If an argument is outside its domain.

    Math:
        `u = W / sqrt T`, of variance 1/2 on average over the window; `W(0) = 0`,
        `W(t + dt) ~ N(W(t), dt)`; the midpoint of `a` and `b`, `h` apart, is
        `~ N((a + b) / 2, h / 4)`.

    Source:
        Karatzas and Shreve, Brownian Motion and Stochastic Calculus (1991), section 2.3 (Levy's
        construction by midpoints).

    Example:
        >>> path = brownian(duration=64.0, dt=1.0)
        >>> coarse, fine = path(np.arange(64.0)), path(np.arange(253) / 4)
        >>> bool((fine[:, ::4] == coarse).all())
        True
    """
    check_draw(duration, n_channels)
    if not (np.isfinite(dt) and 0 < dt <= duration):
        raise ConfigError("a path needs a grid", got=f"dt={dt}", expected=f"0 < dt <= {duration}")
    n_steps = int(np.ceil(duration / dt - 1e-9))

    def function(
        times: Float64[np.ndarray, " time"],
    ) -> Float64[np.ndarray, "1 time channel"]:
        halvings, at = _place(times, dt, n_steps)
        first = np.sqrt(dt) * _normal(seed, pair, 0, (n_steps, n_channels))
        path = np.concatenate([np.zeros((1, n_channels)), np.cumsum(first, axis=0)])
        for j in range(halvings):
            noise = _normal(seed, pair, j + 1, (len(path) - 1, n_channels))
            path = _halved(path, dt / 2**j, noise)
        return (path[at] / np.sqrt(duration))[None]

    return function


def _place(times: Float64[np.ndarray, " time"], dt: float, n_steps: int) -> tuple[int, np.ndarray]:
    """Return how often the step is halved for a grid that holds the times, and where they are."""
    for j in range(HALVINGS + 1):
        position = times / dt * 2**j
        at = np.rint(position).astype(np.int64)
        if np.abs(position - at).max(initial=0.0) < 1e-6:
            if at.min(initial=0) >= 0 and at.max(initial=0) <= n_steps * 2**j:
                return j, at
            break
    raise ConfigError(
        "a Brownian path is drawn on nested grids only",
        got=f"{times.size} times from {times.min():g} to {times.max():g}, not all of them on one",
        expected=f"multiples of {dt:g}, or of it halved up to {HALVINGS} times, up to "
        f"{n_steps * dt:g}",
    )


def _normal(seed: int, pair: int, level: int, shape: tuple[int, int]) -> Path:
    return stream(seed, "brownian", pair, level).standard_normal(shape)


def _halved(path: Path, h: float, noise: Path) -> Path:
    finer = np.empty((2 * len(path) - 1, path.shape[1]))
    finer[::2] = path
    finer[1::2] = (path[:-1] + path[1:]) / 2 + np.sqrt(h) / 2 * noise
    return finer

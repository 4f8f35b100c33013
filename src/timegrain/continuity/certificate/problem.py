"""What `certify` was asked: a signal on a window, known between its samples or not."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from timegrain.continuity.certificate.moduli.base import Moduli, Samples
from timegrain.continuity.certificate.moduli.declared import Declared
from timegrain.continuity.certificate.moduli.estimated import Estimated
from timegrain.continuity.certificate.moduli.polyline import Polyline
from timegrain.continuity.model.given import as_signal
from timegrain.core.errors import ConfigError, DataError, GridError
from timegrain.core.shown import shown
from timegrain.core.signal import Signal

PER_STEP, LEAST_PER_STEP = 32, 4
"""Points of the fine grid in the smallest step: so many, fewer where there would be too many."""
MOST_POINTS = 2**18


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem:
    """A signal with its moduli.

    Args:
        signal: The signal; its grid's step is that of tau = 1.
        moduli: Of the signal between its samples.
    """

    signal: Signal
    moduli: Moduli

    def sampled(self, tau: float) -> Samples:
        """Return the signal on `t0 + k tau dt`, as far as its window reaches."""
        grid = self.signal.grid
        n = int(np.floor((grid.n - 1) / tau * (1 + 1e-12))) + 1
        if n < 2:
            raise GridError(
                "a certificate needs two samples in the window",
                got=f"tau={tau} on {grid.n} samples",
                expected=f"tau <= {grid.n - 1}",
            )
        return _at(self.signal, grid.t0 + tau * grid.dt * np.arange(n))


def read_problem(
    given: Any, *, dt: float, length: int, taus: tuple[float, ...], slope: Any, curvature: Any
) -> Problem:
    """Return the signal that was given with its moduli.

    Args:
        given: As `certify` takes it.
        dt: Likewise.
        length: Likewise.
        taus: Likewise; the smallest decides over the fine grid.
        slope: Likewise.
        curvature: Likewise.

    Raises:
        ConfigError: If curvature is given without a slope, or a bound is no number >= 0 or none
            for each channel.
        DataError: If the signal has gaps, or its samples exceed its declared slope or curvature.
        GridError: If it has one sample.
    """
    signal = as_signal(given, dt=dt, length=length)
    if not np.isfinite(signal.values).all():
        raise DataError(f"{signal.name} has gaps", got="NaN or infinity", expected="finite values")
    if signal.grid.n < 2:
        raise GridError("a certificate needs two samples", got=signal.grid.n)
    if slope is None and curvature is not None:
        raise ConfigError("curvature goes with a slope", hint="slope=a bound of |u'|, too")
    if slope is not None and signal.function is None and any(t % 1 for t in taus):
        raise ConfigError(
            "samples between the given ones are not known, only their slope is bounded",
            got=f"taus={list(taus)}",
            expected="whole numbers",
            hint="a function of times, or no slope: then the signal is the lines between samples",
        )
    return Problem(signal=signal, moduli=_moduli(signal, min(1.0, *taus), slope, curvature))


def _moduli(signal: Signal, finest: float, slope: Any, curvature: Any) -> Moduli:
    if signal.function is None:
        fine, step = signal.values, signal.grid.dt
        if slope is None:
            return Polyline(samples=fine, step=step)
    else:
        fine, step = _fine(signal, finest)
    if slope is None:
        return Estimated(samples=fine, step=step)
    declared = Declared(
        slope=_bounds("slope", slope, fine.shape[2]),
        curvature=None if curvature is None else _bounds("curvature", curvature, fine.shape[2]),
        samples=fine,
        step=step,
    )
    _check(declared, signal.name)
    return declared


def _fine(signal: Signal, finest: float) -> tuple[Samples, float]:
    """Return samples much finer than the smallest step, and their own step."""
    grid = signal.grid
    points = MOST_POINTS // (signal.values.shape[0] * signal.values.shape[2])
    steps = int(np.ceil((grid.n - 1) / finest))
    intervals = steps * max(LEAST_PER_STEP, min(PER_STEP, points // steps))
    fine = _at(signal, np.linspace(grid.t0, grid.t0 + grid.duration, intervals + 1))
    if not np.isfinite(fine).all():
        raise DataError(f"{signal.name} is not finite between its samples")
    return fine, grid.duration / intervals


def _bounds(name: str, value: Any, channels: int) -> np.ndarray:
    bounds = np.asarray(value, dtype=np.float64)
    if bounds.ndim > 1 or bounds.size not in (1, channels):
        raise ConfigError(
            f"{name} bounds every channel",
            got=f"shape {bounds.shape}",
            expected=f"a number, or {channels} of them",
        )
    if not (np.isfinite(bounds).all() and (bounds >= 0).all()):
        raise ConfigError(f"{name} is a bound", got=shown(value), expected="finite, >= 0")
    return np.broadcast_to(bounds, (channels,)).copy()


def _check(declared: Declared, name: str) -> None:
    """Refuse declared bounds that the samples exceed; rounding of the samples aside."""
    eps = 64 * np.finfo(np.float64).eps * np.abs(declared.samples).max((0, 1))
    step, change = declared.step, np.diff(declared.samples, axis=1)
    _within("slope", change / step, declared.slope, eps / step, name)
    if declared.curvature is not None:
        bend = np.diff(change, axis=1) / step**2
        _within("curvature", bend, declared.curvature, eps / step**2, name)


def _within(what: str, seen: Samples, most: np.ndarray, slack: np.ndarray, name: str) -> None:
    largest = np.abs(seen).max((0, 1), initial=0.0)
    if (largest > most + slack).any():
        worst = int(np.argmax(largest - most))
        raise DataError(
            f"{name} exceeds its declared {what}",
            got=f"{largest[worst]:.6g} in channel {worst}",
            expected=f"at most {most[worst]:.6g}",
            hint=f"{what}=a bound in the signal's time unit",
        )


def _at(signal: Signal, times: np.ndarray) -> Samples:
    if signal.function is not None:
        return np.asarray(signal.function(times), dtype=np.float64)
    values, own = signal.values, signal.grid.times
    flat = values.transpose(0, 2, 1).reshape(-1, values.shape[1])
    between = np.stack([np.interp(times, own, row) for row in flat])
    return between.reshape(values.shape[0], values.shape[2], -1).transpose(0, 2, 1)

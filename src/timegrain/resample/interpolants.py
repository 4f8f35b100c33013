"""Values between samples, made up by a named rule."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from jaxtyping import Float, Float64

from timegrain.core.errors import ConfigError, DataError, GridError
from timegrain.core.registry import suggest

Times = Float64[np.ndarray, " time"]
NewTimes = Float64[np.ndarray, " new"]
Values = Float[np.ndarray, "batch time channel"]
NewValues = Float[np.ndarray, "batch new channel"]


def interpolate(
    times: Times, values: Values, new_times: NewTimes, *, interpolant: str
) -> NewValues:
    """Return values at `new_times`, interpolated from samples at `times`.

    Args:
        times: Strictly increasing instants of the samples, `(time,)`.
        values: Samples, `(batch, time, channel)`; all finite.
        new_times: Where to interpolate, within the samples' span.
        interpolant: `"linear"`, or `"cubic"` for the spline with two continuous derivatives.

    Raises:
        ConfigError: If the interpolant is unknown.
        GridError: If times do not increase or `new_times` leaves their span.
        DataError: If a value is not finite.

    Note:
        Made-up values are not data: an order measured on them cannot exceed 2 with `"linear"` nor 4
        with `"cubic"`, and both smooth what happened between the samples.

    Source:
        de Boor, A Practical Guide to Splines (1978), chapter IV (not-a-knot end conditions).

    Example:
        >>> t, x = np.array([0.0, 1.0]), np.array([[[0.0], [2.0]]])
        >>> interpolate(t, x, np.array([0.25]), interpolant="linear").ravel().tolist()
        [0.5]
    """
    if interpolant not in _RULES:
        raise ConfigError(
            "the interpolant is unknown",
            got=repr(interpolant),
            expected=f"one of {', '.join(INTERPOLANTS)}",
            hint=suggest(interpolant, INTERPOLANTS, count=1),
        )
    if np.any(np.diff(times) <= 0):
        raise GridError("interpolation needs increasing times", hint="removing equal timestamps")
    slack = 1e-9 * (times[-1] - times[0])
    if new_times.size and not (
        times[0] - slack <= new_times.min() and new_times.max() <= times[-1] + slack
    ):
        raise GridError(
            "interpolation cannot leave the samples",
            got=f"times {new_times.min():g}..{new_times.max():g}",
            expected=f"within {times[0]:g}..{times[-1]:g}",
        )
    if not np.isfinite(values).all():
        raise DataError(
            "interpolation needs finite values",
            got="NaN or infinity",
            hint="filling the gaps first",
        )
    return _RULES[interpolant](times, values, new_times)


def _linear(times: Times, values: Values, new_times: NewTimes) -> NewValues:
    if times.size == 1:
        return np.repeat(values, new_times.size, axis=1)
    left = np.clip(np.searchsorted(times, new_times, side="right") - 1, 0, times.size - 2)
    w = ((new_times - times[left]) / (times[left + 1] - times[left]))[:, None]
    return ((1 - w) * values[:, left] + w * values[:, left + 1]).astype(values.dtype, copy=False)


def _cubic(times: Times, values: Values, new_times: NewTimes) -> NewValues:
    from scipy.interpolate import CubicSpline

    if times.size == 1:
        return np.repeat(values, new_times.size, axis=1)
    return CubicSpline(times, values, axis=1)(new_times).astype(values.dtype, copy=False)


_RULES: Mapping[str, Callable[[Times, Values, NewTimes], NewValues]] = MappingProxyType(
    {"linear": _linear, "cubic": _cubic}
)
INTERPOLANTS = tuple(_RULES)

"""What a cure does to a model's continuity: `remedy`."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from timegrain.continuity.model.options import ModelOptions
from timegrain.continuity.model.plan import plan
from timegrain.continuity.remedies.patient import Patient
from timegrain.continuity.remedies.result import Remedied
from timegrain.core.errors import ConfigError

DELTA_MAX = 0.1  # the largest that Mamba's Delta begins with
AMPLITUDES = (0.1, 1.0, 10.0)


def remedy(
    model: Any,
    cure: str,
    *,
    delta_max: float = DELTA_MAX,
    signal: Any = None,
    dt: float = 1.0,
    length: int = 64,
    levels: int = 6,
    amplitudes: Sequence[float] = AMPLITUDES,
    refine: str = "exact",
    protocol: str = "rescale",
    norm: str = "sup",
    scope: str = "layer",
    d_model: int = 64,
    d_input: int | None = None,
    seeds: int = 5,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    decimator: str = "phase",
) -> Remedied:
    r"""Return a cured copy of a model, with its continuity before and after.

    `"dilate"`: the taps of short convolutions are as far apart in time on every grid whose steps
    divide the trained one (any module; `timegrain.models.Dilated`).
    `"interpolate"`: the same at any step, on straight lines between samples; the ladder's steps are
    halves, on which it is `"dilate"` (any module; `timegrain.models.Interpolated`).
    `"trapezoidal"`: the input of a step is the mean of its ends, not held (S4, S4D, S5, S6, and the
    S6 in Mamba).
    `"foh"`: the input is linear between samples, exactly (S4D, S5).
    `"clamp"`: the `Delta` that S6 selects is at most `delta_max` (S6, Mamba).
    `"normalise"`: S6 selects by its input over the root mean square across channels, which leaves
    no amplitude (S6, Mamba).

    Several go together with `+` between, such as `"dilate+trapezoidal"`.

    Args:
        model: A registered name, or a `torch.nn.Module`, which stays as it is; a `ModelAdapter` of
            one that is told its step by `tau`, if at all.
        cure: One of these names, or several.
        delta_max: For `"clamp"`: in steps of the training grid, > 0.
        signal: As for `model_continuity`, and so are all others.
        dt: Working step, at which tau = 1.
        length: Samples of the working grid, at least 16.
        levels: J, halvings of the step, at least 3.
        amplitudes: Factors of signal and bump; two or more give an exponent.
        refine: `"exact"`, `"resimulate"`, `"interpolate"` or `"recorded"`.
        protocol: `"rescale"` tells the model its step; `"native"` does not.
        norm: `"sup"` or `"rms"`.
        scope: For a name: `"layer"`, or `"network"`.
        d_model: For a name: channels of the layer.
        d_input: Channels of the input; found out where it is not given.
        seeds: Pairs of a model and a signal; figures are medians over them, without intervals.
        seed: Seed of every draw.
        options: For a name: options of the layer.
        decimator: With `refine="recorded"`: `"phase"` or `"fir"`.

    Returns:
        `(model, effect)`: the cured copy, and a `Remedy` with order, memory ratio, amplitude
        exponent and errors at the working grid before and after, of the model and of each module
        that was changed.

    Raises:
        ConfigError: If the cure is unknown, or an option is outside its domain.
        ModelError: If the cure does not apply to the model; the text says to which it does.
        TimegrainError: Otherwise as `model_continuity` raises.

    Source:
        The cures of what `localise`, `selectivity` and `model_continuity` find. Hochbruck and
        Ostermann, Exponential integrators (2010), section 2, for `foh`; Yu and Koltun (2016, arXiv
        1511.07122), section 2, for dilation; the others are this package's.

    Example:
        >>> model, effect = remedy("s4d", "foh", d_model=2, levels=3, length=16, seeds=1)
        >>> model.order, effect.at("before").order < 1.3 < effect.at("after").order
        (2, True)
    """
    check_delta(delta_max)
    opts = ModelOptions(
        named=isinstance(model, str),
        amplitudes=tuple(float(a) for a in amplitudes),
        levels=levels,
        length=length,
        dt=dt,
        refine=refine,
        protocol=protocol,
        norm=norm,
        scope=scope,
        d_model=d_model,
        d_input=d_input,
        seeds=seeds,
        seed=seed,
        options=dict(options or {}),
        decimator=decimator,
    )
    patient = Patient(model, plan(model, opts, signal=signal), signal=signal)
    return patient.treated(cure, delta_max=delta_max)


def check_delta(delta_max: float) -> None:
    """Check that a limit of `Delta` is one.

    Raises:
        ConfigError: If it is not positive and finite.
    """
    if not (math.isfinite(delta_max) and delta_max > 0):
        raise ConfigError("delta_max limits a step", got=delta_max, expected="a number > 0")

"""Rates as people say them, as strides of the step a network was trained at."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.core.errors import ConfigError, GridError
from timegrain.data.step import given_step
from timegrain.data.units import SECONDS
from timegrain.training.step_ratio import tau_at

if TYPE_CHECKING:
    from timegrain.training.checkpoint import Checkpoint

WHOLE = 1e-6
DEFAULT_TAUS = (1.0, 2.0, 4.0)


def strides_at(
    checkpoint: "Checkpoint",
    *,
    hz: Sequence[float] | None = None,
    dt: Sequence[str] | None = None,
    taus: Sequence[float] | None = None,
) -> tuple[int, ...]:
    """Return the strides that make slower rates of the trained one, in order, with 1 among them.

    Args:
        checkpoint: Whose step counts.
        hz: Rates in samples per second.
        dt: Steps with their unit, such as `"4ms"`.
        taus: Step ratios `dt / dt_trained`. Of the three at most one; none means 1, 2, 4.

    Raises:
        ConfigError: If more than one is given, or a rate is above the trained one or in no whole
            ratio to it: only dropping samples makes a slower recording of what was recorded.
        GridError: If a rate is not positive, or the network does not know its step in seconds.
    """
    given = {"hz": hz, "dt": dt, "tau": taus}
    said = [name for name, values in given.items() if values is not None]
    if len(said) > 1:
        raise ConfigError(
            "rates are said in one way",
            got=" and ".join(f"--{name}" for name in said),
            expected="one of --hz, --dt and --tau",
        )
    step, unit = checkpoint.dt_trained, checkpoint.unit
    if unit not in SECONDS and said and said != ["tau"]:
        raise GridError(
            "the network does not know its step in seconds",
            got=f"--{said[0]} for a trained step of {step:g} {unit}",
            hint="--tau with the ratio of the steps",
        )
    if hz is not None:
        pairs = [(f"{v:g} Hz", tau_at(step, unit, hz=v)) for v in hz]
    elif dt is not None:
        pairs = [(text, tau_at(step, unit, dt=_in_unit(text, unit))) for text in dt]
    else:
        pairs = [(f"tau = {v:g}", float(v)) for v in taus or DEFAULT_TAUS]
    return tuple(sorted({1, *(_stride(name, tau, step, unit) for name, tau in pairs)}))


def _in_unit(text: str, unit: str) -> float:
    value, own = given_step(text, None, None)
    if value is None or own is None:
        raise ConfigError("--dt takes steps", got=repr(text), expected="such as 4ms,8ms")
    return value * SECONDS[own] / SECONDS[unit]


def _stride(name: str, tau: float, step: float, unit: str) -> int:
    stride = round(tau) if 0 < tau < 1e9 else 0
    if stride >= 1 and abs(tau - stride) <= WHOLE * stride:
        return stride
    below = max(int(tau), 1) if 0 < tau < 1e9 else 1
    allowed = " or ".join(_named(k, step, unit) for k in (below, below + 1))
    raise ConfigError(
        "a recording at this rate cannot be made of one at the trained rate by dropping samples",
        got=f"{name}, {tau:.4g} times the trained step",
        expected="a whole multiple of the trained step",
        hint=allowed,
    )


def _named(stride: int, step: float, unit: str) -> str:
    if unit not in SECONDS:
        return f"--tau {stride}"
    return f"--tau {stride} ({1 / (stride * step * SECONDS[unit]):.6g} Hz)"

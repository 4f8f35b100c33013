"""Rates as people say them, as multiples of the step a network was trained at."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.core.errors import ConfigError, GridError
from timegrain.data.step import given_step
from timegrain.data.units import SECONDS
from timegrain.resample.rational import ratio
from timegrain.training.step_ratio import tau_at

if TYPE_CHECKING:
    from timegrain.training.checkpoint import Checkpoint

WHOLE, LARGEST = 1e-6, 1e6
DEFAULT_TAUS = (1.0, 2.0, 4.0)


def steps_at(
    checkpoint: "Checkpoint",
    *,
    hz: Sequence[float] | None = None,
    dt: Sequence[str] | None = None,
    taus: Sequence[float] | None = None,
) -> tuple[float, ...]:
    """Return the steps of slower rates over the trained step, in order, with 1 among them.

    Args:
        checkpoint: Whose step counts.
        hz: Rates in samples per second.
        dt: Steps with their unit, such as `"4ms"`.
        taus: Step ratios `dt / dt_trained`. Of the three at most one; none means 1, 2, 4.

    Raises:
        ConfigError: If more than one is given, or a rate is above the trained one, of which the
            recordings do not tell, or in no ratio of small whole numbers to it.
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
    return tuple(sorted({1.0, *(_step(name, tau) for name, tau in pairs)}))


def _in_unit(text: str, unit: str) -> float:
    value, own = given_step(text, None, None)
    if value is None or own is None:
        raise ConfigError("--dt takes steps", got=repr(text), expected="such as 4ms,8ms")
    return value * SECONDS[own] / SECONDS[unit]


def _step(name: str, tau: float) -> float:
    if not 1 - WHOLE <= tau < LARGEST:
        raise ConfigError(
            "only slower rates than the trained one can be made of the recordings",
            got=f"{name}, {tau:.4g} times the trained step",
            expected="steps of 1 or more of it",
        )
    up, down = ratio(1.0, tau) if abs(tau - round(tau)) > WHOLE * tau else (1, round(tau))
    return down / up

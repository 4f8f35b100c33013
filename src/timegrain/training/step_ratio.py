"""From a rate in hertz, or a step, to the tau that a trained network is told."""

import math
from typing import TYPE_CHECKING

from timegrain.core.errors import GridError, ModelError
from timegrain.data.units import SECONDS
from timegrain.models.options import shown
from timegrain.training.trainer.numbers import is_number, plain_number

if TYPE_CHECKING:
    from torch import nn


def tau_at(
    dt_trained: float, unit: str, *, hz: float | None = None, dt: float | None = None
) -> float:
    """Return `dt / dt_trained` for a rate in hertz or a step in `unit`.

    Args:
        dt_trained: Step that tau = 1 stands for.
        unit: Its unit.
        hz: Samples per second; needs a `unit` of time.
        dt: Step in `unit`, in the place of `hz`.

    Raises:
        GridError: If not exactly one is given, it is not positive and finite, or `unit` is no
            unit of time.

    Example:
        >>> tau_at(10.0, "ms", hz=50.0), tau_at(10.0, "ms", dt=5.0)
        (2.0, 0.5)
    """
    hz, dt = plain_number(hz), plain_number(dt)  # type: ignore[assignment]
    given = [value for value in (hz, dt) if value is not None]
    if len(given) != 1 or not is_number(given[0]) or not 0 < given[0] < math.inf:
        raise GridError(
            "one rate or step is needed",
            got=f"hz={shown(hz)}, dt={shown(dt)}",
            expected="exactly one of them, positive and finite",
        )
    if dt is not None:
        return dt / dt_trained
    if unit not in SECONDS:
        raise GridError(
            "the network does not know its step in seconds",
            got=f"dt_trained = {dt_trained:g} {unit}",
            expected=f"a unit among {', '.join(SECONDS)}",
            hint=f"dt= in {unit}, so that tau = dt / {dt_trained:g}, or training on "
            "load_task(..., dt=..., unit='s')",
        )
    return 1.0 / (given[0] * SECONDS[unit] * dt_trained)


def check_told(model: "nn.Module", tau: float) -> None:
    """Check that a network can be told that its samples are `tau` steps apart.

    Raises:
        ModelError: If it cannot, and would have to be.
    """
    if tau != 1 and not model.takes_tau:
        raise ModelError(
            f"{type(model).__name__} cannot be told its step",
            got=f"tau={tau:g} and takes_tau = False",
            expected="tau=1: whatever it is trained on then becomes its step",
        )

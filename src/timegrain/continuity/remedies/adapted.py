"""Cures of a model that an adapter calls in its own way."""

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from timegrain.continuity.adapter.model_adapter import ModelAdapter
from timegrain.continuity.adapter.tau_argument import TauArgument
from timegrain.continuity.remedies.cures import WRAPPERS, check_cures, cured
from timegrain.core.errors import ModelError
from timegrain.models.dilated import Dilated


def cured_adapter(
    adapter: ModelAdapter, names: Sequence[str], *, delta_max: float
) -> tuple[ModelAdapter, tuple[str, ...]]:
    """Return the adapter of a changed copy, and the names of the modules that were changed.

    Its convolutions are dilated in the context in which the adapter tells the model its step, so
    that the model is called as the adapter says.

    Args:
        adapter: Of a module.
        names: Of the cures.
        delta_max: Of the cure `"clamp"`.

    Raises:
        ConfigError: As `cured` raises.
        ModelError: If a cure does not apply, or convolutions cannot be dilated for the call.
    """
    check_cures(names)
    plain = not (adapter.asked or adapter.inputs or adapter.others)
    if plain or not WRAPPERS.intersection(names):
        model, changed = cured(adapter.model, names, delta_max=delta_max)
        return dataclasses.replace(adapter, model=model), changed
    told = adapter.telling
    if "interpolate" in names or isinstance(told, TauArgument):
        raise ModelError(
            "the convolutions cannot be changed for a call that the adapter makes",
            got="interpolate" if "interpolate" in names else told.words if told else "",
            expected="dilate, and a model that is not told its step, or by numbers or a function",
            hint="a module whose forward(x, tau) does what the adapter says",
        )
    _, changed = cured(adapter.model, names, delta_max=delta_max)
    others = [name for name in names if name not in WRAPPERS]
    model = cured(adapter.model, others, delta_max=delta_max)[0] if others else adapter.model
    return dataclasses.replace(adapter, model=model, tau=_Dilating(adapter)), changed


class _Dilating:
    """Tells a model its step as an adapter does, with its convolutions dilated meanwhile."""

    __name__ = "Dilated"

    def __init__(self, adapter: ModelAdapter) -> None:
        self.told, self.trained_dt = adapter.telling, adapter.trained_dt or 1.0

    @contextmanager
    def __call__(self, model: Any, tau: float) -> Iterator[None]:
        told = nullcontext() if self.told is None else self.told.told(model, tau, self.trained_dt)
        with Dilated(model).stretched(tau), told:
            yield

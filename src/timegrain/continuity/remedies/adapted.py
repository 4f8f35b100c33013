"""Cures of a model that an adapter calls in its own way."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from timegrain.continuity.adapter.model_adapter import ModelAdapter
from timegrain.continuity.adapter.telling import Telling
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
    if "interpolate" in names:
        raise ModelError(
            "the convolutions cannot be interpolated for a call that the adapter makes",
            got="interpolate",
            expected="dilate",
            hint="a module whose forward(x, tau) does what the adapter says",
        )
    _, changed = cured(adapter.model, names, delta_max=delta_max)
    others = [name for name in names if name not in WRAPPERS]
    model = cured(adapter.model, others, delta_max=delta_max)[0] if others else adapter.model
    return dataclasses.replace(adapter, model=model, tau=_Dilating(adapter.telling)), changed


@dataclasses.dataclass(frozen=True)
class _Dilating:
    """Tells a model its step as an adapter does, with its convolutions dilated meanwhile.

    Args:
        inner: How the adapter tells it; None where it does not.
    """

    inner: Telling | None

    @property
    def words(self) -> str:
        """How, for people."""
        inner = "nothing else in it is told" if self.inner is None else self.inner.words
        return f"its short convolutions are dilated, and {inner}"

    def check(self, model: Any) -> None:
        """Refuse a model that cannot be told so."""
        if self.inner is not None:
            self.inner.check(model)

    @contextmanager
    def told(self, model: Any, tau: float, trained_dt: float) -> Iterator[Mapping[str, float]]:
        """Dilate for one call, which gets the arguments that the adapter gives."""
        told = nullcontext({}) if self.inner is None else self.inner.told(model, tau, trained_dt)
        with Dilated(model).stretched(tau), told as arguments:
            yield arguments

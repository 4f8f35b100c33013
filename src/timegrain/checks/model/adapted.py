"""An adapted model as one of `(batch, time, channel)` alone."""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from timegrain.continuity.adapter.invoke import invoke
from timegrain.continuity.adapter.model_adapter import ModelAdapter
from timegrain.continuity.model.introspect import is_module
from timegrain.core.errors import ConfigError


class Adapted(nn.Module):
    """Calls a module as an adapter says.

    Args:
        adapter: Of a module.

    Attributes:
        replaced: Names of the weights in whose place the input stands: of the embedding, where
            embedded tokens are given.
    """

    def __init__(self, adapter: ModelAdapter) -> None:
        super().__init__()
        self.model = adapter.model
        self._adapter = adapter
        self.replaced = frozenset(self._embedding())

    @property
    def adapter(self) -> ModelAdapter:
        """What it is called by; a copy of this module has one of its own model."""
        return self._adapter

    def forward(self, x: Any) -> Any:
        """Return what of the answer is measured."""
        return _call(self.adapter, x, 1.0)

    def _embedding(self) -> list[str]:
        find = getattr(self.model, "get_input_embeddings", None)
        if self.adapter.inputs != "inputs_embeds" or not callable(find):
            return []
        own = set(map(id, find().parameters()))
        return [name for name, weight in self.named_parameters() if id(weight) in own]


class Told(Adapted):
    """One that is told its step, the same for all samples."""

    def forward(self, x: Any, tau: Any = 1.0) -> Any:
        """Return what of the answer is measured, at another step than that of training."""
        return _call(self.adapter, x, tau)


def unwrapped(adapter: ModelAdapter) -> Callable[..., Any]:
    """Return a module, or a function, that takes an input and, where it can be told, a `tau`.

    Args:
        adapter: Of a module or of a function.
    """
    told = adapter.why_not_told is None
    if is_module(adapter.model):
        return Told(adapter) if told else Adapted(adapter)
    if told:
        return lambda x, tau=1.0: _call(adapter, x, tau)
    return lambda x: _call(adapter, x, 1.0)


def _call(adapter: ModelAdapter, x: Any, tau: Any) -> Any:
    if isinstance(tau, Tensor) and tau.ndim:
        raise ConfigError(
            "an adapter tells one step for all samples", got=f"a tau of shape {tuple(tau.shape)}"
        )
    return invoke(adapter, adapter.model, x, float(tau), trained_dt=adapter.trained_dt or 1.0)

"""Modules whose selective layers can be read, in float64."""

import copy
import tempfile
from typing import TYPE_CHECKING, Any

from timegrain.continuity.adapter.model_adapter import ModelAdapter
from timegrain.continuity.model.adapters import to_double
from timegrain.continuity.model.introspect import is_module
from timegrain.continuity.selective.layers import selective_layers
from timegrain.core.errors import ModelError

if TYPE_CHECKING:
    import torch

NETWORKS = ("MambaModel", "MambaForCausalLM", "FalconMambaModel", "FalconMambaForCausalLM")
EMBEDDED = (
    "The network takes tokens, which have no clock: the signal is given in the place of their "
    "embeddings, and the output is its last hidden states."
)


def readable(model: Any) -> "tuple[torch.nn.Module, tuple[str, ...]]":
    """Return a copy of a module in eval mode and float64 that takes real signals.

    Args:
        model: A module with selective layers; a Mamba or Falcon Mamba of the `transformers`
            library, alone or in an adapter, or one that `timegrain.models.huggingface.load` read,
            is given its input as embeddings.

    Returns:
        The module, and sentences that a reader has to see.

    Raises:
        ModelError: If it is no module, or has no selective layer.
    """
    if isinstance(model, ModelAdapter):
        model = _adapted(model)
    if not is_module(model):
        raise ModelError(
            "what a function selects cannot be seen",
            got=type(model).__name__,
            expected="a registered name or an nn.Module with selective layers",
        )
    ours = _read(model) if _is_theirs(model) else copy.deepcopy(model)
    selective_layers(ours)
    ours = to_double(ours.eval())
    from timegrain.models.huggingface.network import MambaNetwork

    if isinstance(ours, MambaNetwork):
        return _embedded(ours), (EMBEDDED,)
    return ours, ()


def _is_theirs(model: Any) -> bool:
    return type(model).__module__.startswith("transformers.") and type(model).__name__ in NETWORKS


def _adapted(adapter: ModelAdapter) -> Any:
    """Return the model of an adapter that changes nothing about how selection is read."""
    alone = not (adapter.asked or adapter.inputs or adapter.others or adapter.output)
    if _is_theirs(adapter.model) or (alone and adapter.trained_dt is None):
        return adapter.model
    raise ModelError(
        "selection is read off a module as it is, called with (x, tau)",
        got="a ModelAdapter that calls it in another way",
        expected="a registered name or an nn.Module with selective layers",
        hint="the adapter's model itself",
    )


def _read(model: Any) -> "torch.nn.Module":
    """Return a network of the transformers library as ours, through the files that it writes."""
    from timegrain.models.huggingface.load import load

    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder, safe_serialization=True)
        return load(folder)


def _embedded(network: Any) -> "torch.nn.Module":
    from timegrain.continuity.selective.embedded import Embedded

    return Embedded(network)

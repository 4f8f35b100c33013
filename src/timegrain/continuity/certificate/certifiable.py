"""Which layers a theorem speaks of, and what to say of all others."""

from typing import Any

from timegrain.continuity.adapter.model_adapter import ModelAdapter
from timegrain.continuity.model.introspect import is_module
from timegrain.continuity.remedies.cures import is_cured
from timegrain.core.errors import ModelError
from timegrain.core.shown import shown

_LISTED = 3


def is_certifiable(layer: Any) -> bool:
    """Return whether there is a theorem for a layer: S4D, S5, or S6 that selects as it was built.

    Example:
        >>> from timegrain.models import build_layer
        >>> [is_certifiable(build_layer(name, d_model=2)) for name in ("s5", "gru")]
        [True, False]
    """
    from timegrain.models.layers.s4d import S4D
    from timegrain.models.layers.s5 import S5
    from timegrain.models.layers.s6 import S6

    # the proof of S6 takes B and what makes Delta for linear in the input
    plain = isinstance(layer, S6) and layer.norm_eps is None and not is_cured(layer)
    return isinstance(layer, S4D | S5) or plain


def check_certifiable(layer: Any, *, by_word: bool = False) -> None:
    """Refuse what no theorem speaks of; of a model, name the layers in it that can be certified.

    Args:
        layer: What was passed.
        by_word: Whether a layer in a model is named by a word, `module=`, instead of passed.

    Raises:
        ModelError: If it is no layer with a theorem.
    """
    if not is_certifiable(layer):
        raise ModelError(
            "there is no theorem for this layer",
            got=_called(layer)
            + (", cured" if is_cured(layer) else "")
            + (" with norm_eps" if getattr(layer, "norm_eps", None) is not None else ""),
            expected="S4D, S5 or S6 as it is",
            hint=_elsewhere(layer, by_word=by_word),
        )


def _called(layer: Any) -> str:
    return f"the name {shown(layer)}" if isinstance(layer, str) else type(layer).__name__


def _elsewhere(layer: Any, *, by_word: bool) -> str:
    """Return what to certify or to do instead."""
    if isinstance(layer, str):
        return f"the layer itself, timegrain.build_layer({layer!r}, d_model=...)"
    inner = layer.model if isinstance(layer, ModelAdapter) else layer
    parts = inner.named_modules() if is_module(inner) else ()
    held = [name for name, part in parts if is_certifiable(part)]
    if not held:
        return "model_continuity(model), which measures any"
    if "" in held:
        return "the adapter's model itself"
    said = "module={!r}" if by_word else "model.get_submodule({!r})"
    more = f", or one of {len(held) - _LISTED} more" if len(held) > _LISTED else ""
    return f"a layer in it by itself: {' or '.join(map(said.format, held[:_LISTED]))}{more}"

"""The selective layers in a model, and what they select for an input."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.remedies.cures import is_cured
from timegrain.core.errors import ModelError

if TYPE_CHECKING:
    import torch

    from timegrain.models.layers.s6 import S6

ALONE = "layer"  # the name of a layer that is the model


@dataclass(frozen=True, kw_only=True)
class Selected:
    """What one layer selects at tau = 1.

    Args:
        name: Of the layer in its model.
        delta: Step of each sample and channel, in steps of the training grid.
        B: Input weights of each sample.
        C: Output weights of each sample.
        poles: Of each channel, real and negative.
    """

    name: str
    delta: Float64[np.ndarray, "batch time channel"]
    B: Float64[np.ndarray, "batch time state"]
    C: Float64[np.ndarray, "batch time state"]
    poles: Float64[np.ndarray, "channel state"]

    def means(self) -> dict[str, np.ndarray]:
        """Return `Delta`, B and C as means over sequences and time."""
        return {part: getattr(self, part).mean((0, 1)) for part in ("delta", "B", "C")}


def selective_layers(model: "torch.nn.Module") -> "dict[str, S6]":
    """Return the S6 layers in a model by name; `"layer"` is a model that is one itself.

    Args:
        model: Any module; a Mamba block holds one S6.

    Raises:
        ModelError: If there is none.
    """
    from timegrain.models.layers.s6 import S6

    found = {name or ALONE: m for name, m in model.named_modules() if isinstance(m, S6)}
    if not found:
        raise ModelError(
            f"{type(model).__name__} selects nothing",
            got="no S6 in it",
            expected="an S6, a Mamba block, or a network of them",
            hint="model_continuity(model) for any other",
        )
    changed = [name for name, layer in found.items() if is_cured(layer)]
    if changed:
        raise ModelError(
            "a cured layer selects, or takes its input, in another way than S6",
            got=", ".join(changed),
            expected="S6 as it is",
            hint="selectivity of the model before its cure; remedy(model, ...) has both",
        )
    return found


def selected(
    model: "torch.nn.Module", x: Float64[np.ndarray, "batch time channel"]
) -> tuple[Selected, ...]:
    """Return what the layers of a model select for an input, at tau = 1.

    Args:
        model: A module in float64 with selective layers.
        x: Its input.

    Raises:
        ModelError: If it has no selective layer, or calls none.
    """
    import torch

    layers = selective_layers(model)
    inputs: dict[str, list[torch.Tensor]] = {}
    handles = [
        layer.register_forward_pre_hook(_noting(inputs, name), with_kwargs=True)
        for name, layer in layers.items()
    ]
    try:
        with torch.no_grad():
            model(torch.from_numpy(np.ascontiguousarray(x)))
            if not inputs:
                raise ModelError(
                    f"{type(model).__name__} calls none of its selective layers",
                    got=", ".join(layers),
                    expected="layers that are called, so that their input is seen",
                )
            return tuple(_of(name, layers[name], torch.cat(u)) for name, u in inputs.items())
    finally:
        for handle in handles:
            handle.remove()


def _noting(inputs: dict[str, list[Any]], name: str) -> Callable[..., None]:
    def note(module: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        inputs.setdefault(name, []).append(args[0] if args else kwargs["x"])

    return note


def _of(name: str, layer: "S6", u: "torch.Tensor") -> Selected:
    delta, B, C = (part.double().numpy() for part in layer.select(u))
    return Selected(name=name, delta=delta, B=B, C=C, poles=layer.A.double().numpy())

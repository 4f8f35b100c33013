"""Copies of a model whose selective layers are held: they stop selecting some of their parts."""

import copy
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from timegrain.continuity.selective.layers import selective_layers

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from timegrain.models.layers.s6 import S6

Means = Mapping[str, Mapping[str, np.ndarray]]

PARTS: Mapping[str, tuple[str, ...]] = {
    "nothing": (),
    "delta": ("delta",),
    "B": ("B",),
    "C": ("C",),
    "all": ("delta", "B", "C"),
}
"""What can be held, by the name that results give it."""


class HeldSelection:
    """What a layer selects, with some parts constant; it takes the place of `S6.select`.

    Args:
        layer: The layer.
        values: `"delta"` `(channel,)`, `"B"` or `"C"` `(state,)`, to what it is held at. `Delta`
            still follows the step it is told, `s_k Delta`.
    """

    def __init__(self, layer: "S6", values: "Mapping[str, Tensor]") -> None:
        self.layer = layer
        self.values = dict(values)

    def __call__(
        self, u: "Tensor", ratio: "Tensor | None" = None
    ) -> "tuple[Tensor, Tensor, Tensor]":
        """Return `Delta`, B and C for an input, as `S6.select` does."""
        parts = dict(zip(("delta", "B", "C"), self._select(u, ratio), strict=True))
        for name, value in self.values.items():
            live = parts[name]
            held = value.to(live).expand_as(live)
            if name == "delta" and ratio is not None:
                held = held * ratio[..., None].to(live)
            parts[name] = held.contiguous()
        return parts["delta"], parts["B"], parts["C"]

    def _select(self, u: "Tensor", ratio: "Tensor | None") -> "tuple[Tensor, Tensor, Tensor]":
        return type(self.layer).select(self.layer, u, ratio)


def hold(
    model: "torch.nn.Module", parts: Sequence[str], means: Means, *, discretization: str
) -> "torch.nn.Module":
    """Return a copy of a model with some parts of its selective layers held.

    Args:
        model: With selective layers.
        parts: Of `"delta"`, `"B"` and `"C"`.
        means: Layer to part to what it is held at; a layer that is not named selects as before.
        discretization: Of B, in all of them.
    """
    import torch

    copied = copy.deepcopy(model)
    for name, layer in selective_layers(copied).items():
        layer.discretization = discretization
        if parts and name in means:
            values = {part: torch.from_numpy(means[name][part]) for part in parts}
            layer.select = HeldSelection(layer, values)  # type: ignore[method-assign]
    return copied

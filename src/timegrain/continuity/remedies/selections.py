"""What bounds or evens out how strongly a selective layer follows its input."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

    from timegrain.models.layers.s6 import S6

    Parts = tuple[Tensor, Tensor, Tensor]


class LimitedSelection:
    """What a layer selects, its `Delta` limited; it takes the place of `S6.select`.

    Args:
        layer: The layer.
        most: Largest `Delta`, in steps of the training grid.
    """

    def __init__(self, layer: "S6", most: float) -> None:
        self.inner = layer.select
        self.most = most

    def __call__(self, u: "Tensor", ratio: "Tensor | None" = None) -> "Parts":
        """Return `min(Delta, most)`, told its step as `Delta` is, B and C."""
        delta, B, C = self.inner(u, ratio)
        if ratio is None:
            return delta.clamp(max=self.most), B, C
        return delta.minimum((self.most * ratio[..., None]).to(delta)), B, C


class EvenSelection:
    r"""What a layer selects for its input over its size; it takes the place of `S6.select`.

    Args:
        layer: The layer.

    Math:
        `select(u / rms(u))`, the root mean square over the channels of each sample: the selection
        does not depend on the amplitude, and what it drives is linear in it.
    """

    def __init__(self, layer: "S6") -> None:
        self.inner = layer.select

    def __call__(self, u: "Tensor", ratio: "Tensor | None" = None) -> "Parts":
        """Return `Delta`, B and C."""
        import torch

        size = u.square().mean(-1, keepdim=True).sqrt()
        return self.inner(u / size.clamp(min=torch.finfo(u.dtype).tiny), ratio)

"""What both doors of the matrix state check: axes, heads that groups share, dtypes."""

from collections.abc import Mapping

import torch
from torch import Tensor

from timegrain.core.errors import LayoutError
from timegrain.kernels.arguments import check_axes, compute_dtype


def check_heads(
    operation: str, tensors: Mapping[str, Tensor | None], *, sequence: str
) -> tuple[dict[str, int], torch.dtype]:
    """Return the size of every axis and the dtype to compute in.

    Args:
        operation: The function's name, for the error's text.
        tensors: q, k, v, log_gate, beta and a state, by the names of their arguments; None where
            absent.
        sequence: The axes before those of heads: `"b l"`, or `"b"` for one sample.

    Raises:
        LayoutError: If a shape does not fit, or the heads of q and k do not divide those of v.
        ConfigError: If a dtype is outside its domain.
    """
    names = list(tensors)
    axes = [*[f"{sequence} g i"] * 2, f"{sequence} h j", f"{sequence} h", f"{sequence} h"]
    gate = tensors["log_gate"]
    if getattr(gate, "ndim", 0) == len(axes[0].split()):
        axes[3] += " i"
    named = {n: (tensors[n], a) for n, a in zip(names, [*axes, "b h i j"], strict=True)}
    sizes = check_axes(operation, named, optional=names[3:], time_axes=f"{sequence} h")
    if sizes["h"] % sizes["g"]:
        raise LayoutError(
            f"{operation}() needs heads of q and k that divide those of v",
            got=f"{sizes['g']} heads of q and k, {sizes['h']} of v",
        )
    return sizes, compute_dtype(operation, tensors)

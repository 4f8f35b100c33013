"""How many samples of each sequence of a batch exist, by its lengths or its attention mask."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from timegrain.core.errors import LayoutError
from timegrain.training.plan.named import MASK, tensor_of


def present(given: Mapping[str, Any], x: Tensor) -> Tensor | None:
    """Return how many samples exist, `(batch,)`; None when all do.

    Args:
        given: `lengths`, or an `attention_mask` padded on the right, or both.
        x: The input, `(batch, time, ...)`.

    Raises:
        LayoutError: If one does not fit the input, or they contradict each other.

    Example:
        >>> present({"attention_mask": [[1, 1, 1], [1, 0, 0]]}, torch.zeros(2, 3, 1)).tolist()
        [3, 1]
    """
    lengths = mask = None
    if given.get("lengths") is not None:
        lengths = _counted(tensor_of("lengths", given["lengths"]), x)
    if given.get(MASK) is not None:
        mask = _masked(tensor_of(MASK, given[MASK]), x)
    if lengths is not None and mask is not None and not torch.equal(lengths, mask):
        row = int(torch.nonzero(lengths != mask)[0])
        raise LayoutError(
            "lengths and attention_mask contradict each other",
            got=f"{lengths[row]} and {mask[row]} samples in row {row}",
            hint="leaving one of them out",
        )
    if lengths is None and mask is not None and bool((mask == x.shape[1]).all()):
        return None
    return mask if lengths is None else lengths


def _counted(lengths: Tensor, x: Tensor) -> Tensor:
    batch, time = x.shape[:2]
    kind = lengths.dtype
    whole = not (kind.is_floating_point or kind.is_complex or kind == torch.bool)
    if not whole or tuple(lengths.shape) != (batch,):
        raise LayoutError(
            "lengths counts samples, one number a sequence",
            got=f"{str(kind).removeprefix('torch.')} of shape {tuple(lengths.shape)}",
            expected=f"integers of shape ({batch},)",
        )
    lengths = lengths.cpu().long()
    outside = lengths[(lengths < 1) | (lengths > time)]
    if len(outside):
        raise LayoutError(
            "lengths points outside the input", got=int(outside[0]), expected=f"1..{time}"
        )
    return lengths


def _masked(mask: Tensor, x: Tensor) -> Tensor:
    if tuple(mask.shape) != tuple(x.shape[:2]):
        raise LayoutError(
            "an attention mask says of each sample whether it exists",
            got=f"shape {tuple(mask.shape)} beside an input of {tuple(x.shape)}",
            expected=f"({len(x)}, {x.shape[1]})",
            hint="a mask of (batch, time), which the network expands",
        )
    exists = mask.bool()
    if not torch.equal(exists.to(mask.dtype), mask):
        raise LayoutError(
            "an attention mask says yes or no of each sample",
            got=f"{float(mask[exists.to(mask.dtype) != mask][0]):g}",
            expected="1 where it exists, 0 where it is padding",
            hint="the tokenizer's own mask, and not the one that is added to scores",
        )
    lengths = exists.sum(1)
    if not bool((lengths > 0).all()):
        raise LayoutError(
            "the attention mask leaves a sequence without a sample",
            got=f"row {int(torch.nonzero(lengths == 0)[0])} of zeros alone",
            expected="a one or more in every row",
        )
    right = torch.arange(mask.shape[1], device=mask.device) < lengths[:, None]
    if not torch.equal(exists, right):
        raise LayoutError(
            "the attention mask is not padded on the right",
            expected="ones, then zeros, in every row",
            hint="padding_side='right' in the tokenizer",
        )
    return lengths.cpu()

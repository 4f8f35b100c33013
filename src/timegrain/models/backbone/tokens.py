"""Tokens: what an embedding can look up."""

import torch
from torch import Tensor

from timegrain.core.errors import LayoutError


def check_tokens(x: Tensor, vocab: int) -> None:
    """Check that `x` holds whole numbers in `0..vocab-1`.

    Raises:
        LayoutError: If it does not.
    """
    if x.is_floating_point() or x.is_complex() or x.dtype == torch.bool:
        raise LayoutError("tokens are whole numbers", got=x.dtype, expected="an integer tensor")
    wrong = x[(x < 0) | (x >= vocab)]
    if wrong.numel():
        raise LayoutError(
            "there are tokens outside the vocabulary",
            got=int(wrong[0]),
            expected=f"0..{vocab - 1}",
        )


def as_indices(x: Tensor) -> Tensor:
    """Return whole numbers of any kind in one that embeddings look up; other tensors as they are.

    Example:
        >>> as_indices(torch.tensor([200], dtype=torch.uint8))
        tensor([200])
    """
    number = x.is_floating_point() or x.is_complex() or x.dtype == torch.bool
    return x if number or x.dtype in (torch.int64, torch.int32) else x.long()

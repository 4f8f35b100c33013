"""Sequences that are a part of wider ones, read where they lie."""

from typing import Any

from torch import Tensor

from timegrain.kernels.plain import plain


def strided(tensor: Tensor) -> tuple[Any, tuple[int, int]]:
    """Return the memory of sequences as one row, and the numbers in it between their samples.

    Args:
        tensor: `(b, l, d)`; copied only where its channels do not lie side by side.

    Returns:
        The row, in which channel c of sample k of sequence i is number
        `i steps[0] + k steps[1] + c`, and `steps`.

    Example:
        >>> import torch
        >>> row, steps = strided(torch.arange(12.0).view(1, 3, 4)[..., 2:])
        >>> row.tolist(), steps
        ([2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0], (12, 4))
    """
    batch, length, channels = tensor.shape
    tensor = tensor.detach()
    if tensor.stride(2) != 1 or tensor.is_neg():
        tensor = plain(tensor)
    steps = tensor.stride(0), tensor.stride(1)
    extent = (batch - 1) * steps[0] + (length - 1) * steps[1] + channels
    return tensor.as_strided((extent,), (1,)).numpy(), steps

"""Torch tensors as the memory that compiled loops read and write."""

from typing import Any

from torch import Tensor


def plain(tensor: Tensor) -> Tensor:
    """Return the values in contiguous memory, without a graph.

    A lazy negation is carried out, since numpy reads the memory as it is.

    Example:
        >>> import torch
        >>> plain(torch.zeros(2, 3).mT).stride()
        (2, 1)
    """
    if tensor.is_contiguous() and not tensor.is_neg():
        return tensor.detach()
    return tensor.detach().contiguous().resolve_neg()


def numpy_of(*tensors: Tensor) -> tuple[Any, ...]:
    """Return arrays on the same memory."""
    return tuple([t.numpy() for t in tensors])  # a list is faster than a generator

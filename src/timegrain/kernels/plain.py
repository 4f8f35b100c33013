"""Torch tensors as the memory that compiled loops read and write."""

from typing import Any

from torch import Tensor


def plain(tensor: Tensor) -> Tensor:
    """Return the values in contiguous memory, without a graph.

    Lazy negation and conjugation are carried out, since numpy reads the memory as it is.

    Example:
        >>> import torch
        >>> plain(torch.zeros(2, 3).mT).stride()
        (2, 1)
    """
    if tensor.is_contiguous() and not (tensor.is_neg() or tensor.is_conj()):
        return tensor.detach()
    return tensor.detach().resolve_conj().resolve_neg().contiguous()


def saved(ctx: Any) -> list[Any]:
    """Return what a function saved for its backward pass, absent tensors too, in contiguous memory.

    A hook of torch.autograd.graph may give the same values back in another layout.

    Args:
        ctx: Of an `autograd.Function`.
    """
    return [t if t is None or _ready(t) else plain(t) for t in ctx.saved_tensors]


def _ready(t: Tensor) -> bool:
    return t.is_contiguous() and not (t.requires_grad or t.is_neg() or t.is_conj())


def numpy_of(*tensors: Tensor) -> tuple[Any, ...]:
    """Return arrays on the same memory."""
    return tuple([t.numpy() for t in tensors])  # a list is faster than a generator


def real_numpy(tensor: Tensor) -> Any:
    """Return contiguous complex numbers as an array on the same memory, two real ones for each.

    Example:
        >>> import torch
        >>> real_numpy(torch.tensor([1.0 + 2j]))
        array([1., 2.], dtype=float32)
    """
    array = tensor.numpy()
    return array.view(array.real.dtype)

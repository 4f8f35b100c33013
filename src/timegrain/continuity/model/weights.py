"""A fingerprint of a model's weights, by which a result can be told to be of the same ones."""

import hashlib
from typing import Any

from timegrain.continuity.model.introspect import is_module


def weights_sha256(model: Any) -> str | None:
    """Return the SHA-256 of the parameters and buffers of a module; None of a function.

    Names, types and shapes are part of it, the order in which they were registered is not. It is
    taken of the model as it was passed, before any copy of it is cast.

    Args:
        model: A module or a function.

    Example:
        >>> from timegrain.models import build_layer
        >>> first, again, other = (build_layer("s4d", d_model=2, seed=s) for s in (0, 0, 1))
        >>> weights_sha256(first) == weights_sha256(again) != weights_sha256(other)
        True
    """
    if not is_module(model):
        return None
    import torch

    found = hashlib.sha256()
    tensors = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    for name in sorted(tensors):
        values = tensors[name].detach().cpu()
        values = (values.to_dense() if values.layout != torch.strided else values).contiguous()
        found.update(f"{name} {values.dtype} {tuple(values.shape)}".encode())
        plain = torch.view_as_real(values.resolve_conj()) if values.is_complex() else values
        found.update(plain.resolve_neg().reshape(-1).view(torch.uint8).numpy().data)
    return found.hexdigest()

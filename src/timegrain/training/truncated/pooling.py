"""Pooling over sequences of which a chunk at a time is there, and the way back."""

from collections.abc import Iterable
from typing import Any

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from timegrain.core.errors import DataError
from timegrain.training.batch import Batch
from timegrain.training.truncated.carrying import Carrying, detached
from timegrain.training.truncated.long_batch import Chunk

Pooled = Float[Tensor, "batch d_model"]


class Pooling:
    r"""A mean over the samples that exist, or the last of them.

    Args:
        kind: `"mean"` or `"last"`.

    Math:
        `pooled = sum_t w_t f_t`, with `w_t = 1/length`, or 1 at the last sample: so
        `d loss / d f_t = w_t d loss / d pooled`.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def part(self, features: Float[Tensor, "batch time d_model"], chunk: Chunk) -> Pooled:
        """Return what a chunk adds to the sum, in 32 bits at least."""
        features = features.to(torch.promote_types(features.dtype, torch.float32))
        weight = self._weight(features, chunk)[..., None]
        return (features.masked_fill(weight == 0, 0.0) * weight).sum(1)

    def back(
        self, gradient: Pooled, features: Float[Tensor, "batch time d_model"], chunk: Chunk
    ) -> Float[Tensor, "batch time d_model"]:
        """Return the gradient for the features of a chunk, from that for what was pooled."""
        return (self._weight(features, chunk)[..., None] * gradient[:, None]).to(features.dtype)

    def _weight(self, features: Tensor, chunk: Chunk) -> Float[Tensor, "batch time"]:
        at = torch.arange(chunk.start, chunk.start + features.shape[1])
        left: Int64[Tensor, "batch one"] = chunk.left[:, None]
        if self.kind == "last":
            weight = (at == left - 1).to(features.dtype)
        else:
            weight = (at < left) / left.to(features.dtype)
        return weight.to(features.device)


def stretch(net: Carrying, chunk: Chunk, state: Any, *, tau: float) -> tuple[Tensor, Any]:
    """Return the features of a chunk, and the state behind it; no gradient goes before it.

    Args:
        net: The network.
        chunk: Samples in a row.
        state: That behind the chunk before; None for rest.
        tau: What the network is told.
    """
    batch = chunk.batch
    return net.scan(batch.x, detached(state), tau=tau, lengths=batch.lengths)


def pool(
    net: Carrying, pooling: Pooling, chunks: Iterable[Chunk], *, tau: float
) -> tuple[Pooled, Batch]:
    """Return what the head is given for whole sequences, and a batch with their targets.

    Args:
        net: The network.
        pooling: How it pools.
        chunks: All of the sequences.
        tau: What the network is told.
    """
    total, batch, state = None, None, None
    for chunk in chunks:
        batch = chunk.batch
        features, state = stretch(net, chunk, state, tau=tau)
        part = pooling.part(features, chunk)
        total = part if total is None else total + part
    if total is None or batch is None:
        raise DataError("there is nothing to pool", got="no chunk")
    return total, batch

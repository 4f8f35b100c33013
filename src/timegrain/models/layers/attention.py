"""Softmax attention in memory that grows with the length, not with its square."""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from timegrain.kernels.precision import full_precision

# Entries of the mask of one block of queries: 16 MB in float32.
BLOCK = 2**22
# A key that is to be left out: finite, so that a query that has no other key still has a value.
LEAST = -1e30
ALIGNED = 8  # fused attention on accelerators wants widths that this divides

Heads = Float[Tensor, "batch head time width"]
Seen = Float[Tensor, "batch head seen width"]


def attention(
    q: Heads,
    k: Seen,
    v: Seen,
    *,
    bias: Float[Tensor, "batch seen"] | None = None,
    causal: bool = True,
) -> Heads:
    r"""Return what each query draws from the values.

    Args:
        q: Queries of the last `time` of `seen` samples, `(batch, head, time, width)`.
        k: Keys, `(batch, head, seen, width)`.
        v: Values, of the same shape.
        bias: Added to the logits of each key, `(batch, seen)`; None for nothing; `LEAST` for a key
            that is to be left out.
        causal: Whether a query sees no key behind its own.

    Returns:
        `sum_j softmax_j(q_i . k_j / sqrt(width) + bias_j) v_j`.

    Note:
        PyTorch's fused attention. A bias becomes one more channel, of keys, that all queries have
        a 1 for; in float32 at least, since half precision would round it. Queries that go on from
        earlier samples come in blocks, which the backward pass computes again.

    Source:
        Vaswani et al., Attention Is All You Need (NeurIPS 2017), eq. (1); blocks as in Rabe,
        Staats, Self-attention Does Not Need O(n^2) Memory (2021, arXiv 2112.05682).

    Example:
        >>> q, k, v = torch.randn(3, 2, 4, 10, 8)
        >>> together = attention(q, k, v)
        >>> torch.allclose(attention(q[:, :, 9:], k, v), together[:, :, 9:], atol=1e-6)
        True
    """
    if bias is None:
        return _fused(q, k, v, causal, q.shape[-1])
    kind, width = q.dtype, q.shape[-1]
    wide = torch.promote_types(kind, torch.float32)
    with full_precision(q):
        q, k, v = _with_bias(q.to(wide), k.to(wide), v.to(wide), bias.to(wide))
        return _fused(q, k, v, causal, width)[..., :width].to(kind)


def _with_bias(q: Tensor, k: Tensor, v: Tensor, bias: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return queries, keys and values with a channel whose product is the bias; the rest is 0."""
    width = q.shape[-1]
    more = ALIGNED - width % ALIGNED
    column = (bias * width**0.5)[:, None, :, None].expand(*k.shape[:3], 1)
    return (
        torch.cat(
            [q, q.new_ones(1).expand(*q.shape[:3], 1), q.new_zeros(*q.shape[:3], more - 1)], -1
        ),
        torch.cat([k, column, k.new_zeros(*k.shape[:3], more - 1)], -1),
        F.pad(v, (0, more)),
    )


def _fused(q: Tensor, k: Tensor, v: Tensor, causal: bool, width: int) -> Tensor:
    """Return the outputs for logits over the root of `width`."""
    time, seen = q.shape[2], k.shape[2]
    causal = causal and bool(time > 1)  # the last sample sees all
    if causal and time < seen:
        return _in_blocks(q, k, v, width)
    return F.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=width**-0.5)


def _in_blocks(q: Tensor, k: Tensor, v: Tensor, width: int) -> Tensor:
    time, seen = q.shape[2], k.shape[2]
    rows = max(BLOCK // seen, 1)
    if rows >= time:
        return _block(q, k, v, width)
    blocks = []
    for first in range(0, time, rows):
        last = min(first + rows, time)
        keys = seen - time + last
        parts = (q[:, :, first:last], k[:, :, :keys], v[:, :, :keys], width)
        # The backward pass would keep the masks, of as many entries as there are pairs of samples.
        again = torch.is_grad_enabled()
        blocks.append(
            checkpoint(_block, *parts, use_reentrant=False, preserve_rng_state=False)
            if again
            else _block(*parts)
        )
    return torch.cat(blocks, dim=2)


def _block(q: Tensor, k: Tensor, v: Tensor, width: int) -> Tensor:
    """Return the outputs of queries whose own keys are the last ones."""
    time, seen = q.shape[2], k.shape[2]
    known = torch.ones(time, seen, dtype=torch.bool, device=q.device).tril(seen - time)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=known, scale=width**-0.5)

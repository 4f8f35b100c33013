"""Softmax attention in memory that grows with the length, not with its square."""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention
from torch.utils.checkpoint import checkpoint

from timegrain.kernels.precision import full_precision

# Entries of the mask of one block of queries: 16 MB in float32.
BLOCK = 2**22

Heads = Float[Tensor, "batch head time width"]


def attention(
    q: Heads,
    k: Float[Tensor, "batch head seen width"],
    v: Float[Tensor, "batch head seen width"],
    *,
    bias: Float[Tensor, "batch seen"] | None = None,
    causal: bool = True,
) -> Heads:
    r"""Return what each query draws from the values.

    Args:
        q: Queries of the last `time` of `seen` samples, `(batch, head, time, width)`.
        k: Keys, `(batch, head, seen, width)`.
        v: Values, of the same shape.
        bias: Added to the logits of each key, `(batch, seen)`; None for nothing. Finite: a key that
            is to be left out has a large negative one, so that a query without a key has a value.
        causal: Whether a query sees no key behind its own.

    Returns:
        `sum_j softmax_j(q_i . k_j / sqrt(width) + bias_j) v_j`.

    Note:
        PyTorch's fused attention, whole where it has the mask built in, else for a block of queries
        at a time, which the backward pass computes again. With a bias in float32 at least: half
        precision would round it.

    Source:
        Vaswani et al., Attention Is All You Need (NeurIPS 2017), eq. (1); blocks as in Rabe,
        Staats, Self-attention Does Not Need O(n^2) Memory (2021, arXiv 2112.05682).

    Example:
        >>> q, k, v = torch.randn(3, 2, 4, 10, 8)
        >>> together = attention(q, k, v)
        >>> torch.allclose(attention(q[:, :, 9:], k, v), together[:, :, 9:], atol=1e-6)
        True
    """
    time, seen = q.shape[2], k.shape[2]
    causal = causal and time > 1  # the last sample sees all
    if bias is None and (not causal or time == seen):
        return scaled_dot_product_attention(q, k, v, is_causal=causal)
    wide = torch.promote_types(q.dtype, torch.float32)
    with full_precision(q):
        out = _in_blocks(
            q.to(wide), k.to(wide), v.to(wide), None if bias is None else bias.to(wide), causal
        )
    return out.to(q.dtype)


def _in_blocks(q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, causal: bool) -> Tensor:
    time, seen = q.shape[2], k.shape[2]
    rows = max(BLOCK // ((1 if bias is None else q.shape[0]) * seen), 1)
    if rows >= time:
        return _block(q, k, v, bias, causal)
    blocks = []
    for first in range(0, time, rows):
        last = min(first + rows, time)
        keys = seen - time + last if causal else seen
        parts = (q[:, :, first:last], k[:, :, :keys], v[:, :, :keys])
        mine = None if bias is None else bias[:, :keys]
        # Its mask would be kept for the backward pass, of as many entries as pairs of samples.
        if torch.is_grad_enabled():
            made = checkpoint(
                _block, *parts, mine, causal, use_reentrant=False, preserve_rng_state=False
            )
        else:
            made = _block(*parts, mine, causal)
        blocks.append(made)
    return torch.cat(blocks, dim=2)


def _block(q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, causal: bool) -> Tensor:
    """Return the outputs of queries whose own keys are the last ones."""
    time, seen = q.shape[2], k.shape[2]
    mask = None if bias is None else bias[:, None, None, :]
    if causal:
        later = torch.ones(time, seen, dtype=torch.bool, device=q.device).triu(seen - time + 1)
        mask = q.new_zeros(time, seen) if mask is None else mask.expand(-1, 1, time, seen)
        mask = mask.masked_fill(later, -torch.inf)
    return scaled_dot_product_attention(q, k, v, attn_mask=mask)

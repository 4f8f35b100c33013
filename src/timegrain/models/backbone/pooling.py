"""From the features of every sample to what the head reads."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from timegrain.core.errors import LayoutError
from timegrain.models.steps import seen, valid_mask


def pool(
    features: Float[Tensor, "batch time channel"],
    pooling: str,
    lengths: Int[Tensor, " batch"] | None = None,
) -> Float[Tensor, "..."]:
    """Return what a head reads of the features.

    Args:
        features: Of every sample.
        pooling: `"mean"` over valid samples, the `"last"` valid sample, or `"step"`: all of them.
        lengths: Valid samples, `(batch,)`; None when all are.

    Raises:
        LayoutError: If a sequence to pool has no sample.
    """
    if pooling == "step":
        return features
    if lengths is None:
        return _mean(features) if pooling == "mean" else features[:, -1]
    lengths = lengths.long()  # a mask to torch if uint8
    if int(seen(lengths).min()) < 1:
        raise LayoutError("a sequence without samples has no output", got="length 0")
    lengths = lengths.to(features.device)
    if pooling == "last":
        return features[torch.arange(len(features), device=features.device), lengths - 1]
    batch, time = features.shape[:2]
    return masked_mean(features, valid_mask(lengths, batch, time, features.device))


def _mean(features: Tensor) -> Tensor:
    """Return the mean over time, whose gradient stays one for all samples.

    That of torch's mean is written out for each of them, a pass over memory or two.
    """
    if features.dtype.itemsize == 2:  # the sum overflows
        return features.mean(1)
    return features.sum(1) / features.shape[1]


def masked_mean(
    features: Float[Tensor, "batch time channel"], valid: Bool[Tensor, "batch time"]
) -> Float[Tensor, "batch channel"]:
    """Return the mean over the valid samples of each sequence."""
    # Half precision cannot count: above 65,504 samples float16 has infinity, bfloat16 rounds 513.
    wide = torch.promote_types(features.dtype, torch.float32)
    total = features.masked_fill(~valid[..., None], 0.0).sum(1, dtype=wide)
    return (total / valid.sum(1, keepdim=True).to(wide)).to(features.dtype)

"""The residual network around sequence layers: its frame, blocks and pooling."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "Backbone": "network",
        "Block": "block",
        "Frame": "frame",
        "MaskedBatchNorm": "batch_norm",
        "check_tokens": "tokens",
        "make_norm": "norms",
        "masked_mean": "pooling",
        "pool": "pooling",
    },
)

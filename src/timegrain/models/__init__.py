"""Layers that know their step, the residual backbone around them, and a strong baseline."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "B2S6": "layers.b2s6",
        "CKConv": "layers.ckconv",
        "DeltaNet": "layers.deltanet",
        "Dilated": "dilated",
        "GLA": "layers.gla",
        "GRU": "layers.gru",
        "GatedDeltaNet": "layers.gated_deltanet",
        "Interpolated": "interpolated",
        "LRU": "layers.lru",
        "LSTM": "layers.lstm",
        "LinearAttention": "layers.linear_attention",
        "Mamba": "layers.mamba",
        "Mamba2": "layers.mamba2",
        "Mamba3": "layers.mamba3",
        "S4": "layers.s4",
        "S4D": "layers.s4d",
        "S5": "layers.s5",
        "S6": "layers.s6",
        "TCN": "layers.tcn",
        "Transformer": "layers.transformer",
        "Backbone": "backbone.network",
        "Frame": "backbone.frame",
        "RidgeBaseline": "baseline.ridge_baseline",
        "SequenceLayer": "layer",
        "build_layer": "build",
        "build_model": "build",
        "huggingface": "",
        "layer_options": "build",
        "models": "registry",
    },
)

"""Layers that know their step, the residual backbone around them, and a strong baseline."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "CKConv": "layers.ckconv",
        "Dilated": "dilated",
        "GRU": "layers.gru",
        "Interpolated": "interpolated",
        "LRU": "layers.lru",
        "LSTM": "layers.lstm",
        "Mamba": "layers.mamba",
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

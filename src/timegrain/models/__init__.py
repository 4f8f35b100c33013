"""Layers that know their step, the residual backbone around them, and a strong baseline."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "GRU": "gru",
        "S4D": "s4d",
        "S6": "s6",
        "Backbone": "backbone",
        "RidgeBaseline": "baseline",
        "SequenceLayer": "layer",
        "build_layer": "build",
        "build_model": "build",
        "layer_options": "build",
        "models": "registry",
    },
)

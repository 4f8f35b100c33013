"""Random processes with a known law, sampled exactly."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "autoregressive": "autoregression",
        "autoregressive_discontinuity": "autoregression",
        "fractional_brownian": "fractional",
        "sines_with_noise": "sines",
        "telegraph": "jumps",
    },
)

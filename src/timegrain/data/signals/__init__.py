"""Families of signals that are known at every time, by name."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "SignalFamily": "family",
        "brownian": "wiener",
        "bump": "compact",
        "chebyshev": "polynomials",
        "chirp": "sweep",
        "fourier": "harmonics",
        "kinked": "kinks",
        "kinked_family": "families",
        "signal_families": "catalogue",
        "sines": "sinusoids",
        "steps": "jumps",
    },
)

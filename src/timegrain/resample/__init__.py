"""Signals on finer and coarser grids."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "INTERPOLANTS": "interpolants",
        "coarse_lengths": "lengths",
        "coarsen": "coarser",
        "interpolate": "interpolants",
        "refine": "finer",
        "valid_samples": "lengths",
    },
)

"""Signals on finer and coarser grids."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "INTERPOLANTS": "interpolants",
        "bridge_gaps": "bridge",
        "coarse_lengths": "lengths",
        "coarsen": "coarser",
        "fir_decimate": "decimate",
        "fir_resample": "rational",
        "fir_taps": "fir",
        "interpolate": "interpolants",
        "refine": "finer",
        "resample_parts": "parts",
        "shortest_length": "fir",
        "to_common_grid": "common",
        "to_uniform": "uneven",
        "valid_samples": "lengths",
    },
)

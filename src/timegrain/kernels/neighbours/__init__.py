"""Squared steps between neighbouring samples beside the variance: for a lag-1 correlation."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, {"neighbour_sums": "dispatch"})

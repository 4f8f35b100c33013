"""Squared distances between the samples of two sequences, at each time."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, {"squared_gaps": "dispatch"})

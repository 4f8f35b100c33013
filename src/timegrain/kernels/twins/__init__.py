"""Inputs and their twins: how both are written, and how far apart their outputs are."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, {"squared_gaps": "gaps", "twin_batch": "batch"})

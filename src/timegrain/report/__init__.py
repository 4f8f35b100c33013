"""Figures of results, and one self-contained HTML page made from them."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, {"figures": "", "write_report": "page.write"})

"""The second study of Continuity Laws: networks trained at one rate, tested at others."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "PAPER_REFINEMENT": "definition",
        "PaperRefinement": "result",
        "PaperRefinementSettings": "settings",
    },
)

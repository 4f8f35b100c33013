"""The first study of Continuity Laws: random systems under refinement, at many amplitudes."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "PAPER_CONTINUITY": "definition",
        "PaperContinuity": "result",
        "PaperContinuitySettings": "settings",
    },
)

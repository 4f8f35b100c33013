"""Figures of results, as files for a paper and in one self-contained HTML page."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "WrittenFigures": "page.vector",
        "figures": "",
        "write_figures": "page.vector",
        "write_report": "page.write",
    },
)

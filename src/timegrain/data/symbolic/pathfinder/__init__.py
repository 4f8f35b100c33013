"""Pathfinder: whether two marks are on one dashed curve, told from the pixels in their order."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "PATHFINDER": "sources",
        "PATH_X": "sources",
        "Picture": "picture",
        "Setting": "setting",
        "draw_picture": "picture",
        "paint": "painting",
        "pathfinder": "sources",
    },
)

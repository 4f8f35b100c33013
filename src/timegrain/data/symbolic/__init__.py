"""Tasks over symbols, drawn by rule."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__, {"listops": "expressions", "selective_copy_last": "copying"}
)

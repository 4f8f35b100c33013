"""Studies with a name, that anyone can run again."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {"Preset": "preset", "presets": "catalogue", "run_study": "conduct"},
)

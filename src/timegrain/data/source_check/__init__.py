"""The contract that sources of data keep, as checks that run on anyone's."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "SourceCheck": "result",
        "SourceRow": "row",
        "check_source": "run",
        "source_checks": "catalogue",
    },
)

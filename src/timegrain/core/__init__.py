"""Time grids, signals, results, errors and registries; imports nothing else of the package."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "ConfigError": "errors",
        "DataError": "errors",
        "GridError": "errors",
        "LayoutError": "errors",
        "MissingPackageError": "errors",
        "ModelError": "errors",
        "Outcome": "outcome",
        "Output": "output",
        "Provenance": "provenance",
        "Registry": "registry",
        "Result": "result",
        "ResultError": "errors",
        "Signal": "signal",
        "TimeGrid": "grid",
        "TimegrainError": "errors",
        "UnknownNameError": "errors",
        "read_output": "output",
        "read_result": "result",
        "stream": "seeds",
        "write_output": "output",
    },
)

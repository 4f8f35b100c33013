"""Continuity in time of sequence models and datasets, and cheaper training from it."""

from timegrain._version import __version__ as __version__
from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "Outcome": "core",
        "Signal": "core",
        "TimeGrid": "core",
        "TimegrainError": "core",
        "build_layer": "models",
        "build_model": "models",
        "kernels": "",
        "load_dataset": "data",
        "load_task": "data",
        "model_continuity": "continuity",
        "read_output": "core",
        "task_continuity": "continuity",
        "train": "training",
        "transfer": "training",
        "verdict": "advice",
        "write_output": "core",
        "write_report": "report",
    },
)

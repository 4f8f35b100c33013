"""Continuity in time of sequence models and datasets, and cheaper training from it."""

from timegrain._version import __version__ as __version__
from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "Checkpoint": "training",
        "Outcome": "core",
        "Signal": "core",
        "TimeGrid": "core",
        "TimegrainError": "core",
        "advice": "",
        "advise": "advice",
        "baseline_score": "training",
        "build_layer": "models",
        "build_model": "models",
        "continuity": "",
        "core": "",
        "data": "",
        "dataset_continuity": "continuity",
        "kernels": "",
        "label_retention": "continuity",
        "load_checkpoint": "training",
        "load_dataset": "data",
        "load_task": "data",
        "model_continuity": "continuity",
        "models": "",
        "read_output": "core",
        "report": "",
        "resample": "",
        "save_checkpoint": "training",
        "stats": "",
        "study": "",
        "task_continuity": "continuity",
        "train": "training",
        "training": "",
        "transfer": "training",
        "verdict": "advice",
        "write_output": "core",
        "write_report": "report",
    },
)

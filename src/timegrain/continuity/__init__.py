"""Continuity of datasets and of models."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "ModelContinuity": "model",
        "TaskContinuity": "task",
        "dataset_continuity": "dataset",
        "locate_model": "locate",
        "model_continuity": "model",
        "task_continuity": "task",
    },
)

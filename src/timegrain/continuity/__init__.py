"""Continuity of datasets and of models."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "ModelContinuity": "model.result",
        "TaskContinuity": "task.result",
        "dataset_continuity": "dataset",
        "locate_model": "locate",
        "model_continuity": "model.measure",
        "task_continuity": "task.measure",
    },
)

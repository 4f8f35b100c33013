"""Continuity of datasets and of models."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "LabelRetention": "retention.result",
        "ModelContinuity": "model.result",
        "TaskContinuity": "task.result",
        "dataset_continuity": "dataset",
        "label_retention": "retention.measure",
        "locate_model": "locate",
        "model_continuity": "model.measure",
        "task_continuity": "task.measure",
    },
)

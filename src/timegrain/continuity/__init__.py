"""Continuity of datasets and of models."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "ContinuityAccumulator": "stream.accumulator",
        "DoseResponse": "dose.result",
        "LabelRetention": "retention.result",
        "ModelContinuity": "model.result",
        "TaskContinuity": "task.result",
        "WindowProfile": "windows.result",
        "dataset_continuity": "dataset",
        "dose_response": "dose.measure",
        "label_retention": "retention.measure",
        "locate_model": "locate",
        "model_continuity": "model.measure",
        "task_continuity": "task.measure",
        "window_profile": "windows.measure",
    },
)

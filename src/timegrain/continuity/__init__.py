"""Continuity of datasets and of models."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "Certificate": "certificate.result",
        "ContinuityAccumulator": "stream.accumulator",
        "DoseResponse": "dose.result",
        "LabelRetention": "retention.result",
        "Localisation": "localisation.result",
        "ModelAdapter": "adapter.model_adapter",
        "ModelContinuity": "model.result",
        "Remedied": "remedies.result",
        "Remedy": "remedies.result",
        "Selectivity": "selective.result",
        "TaskContinuity": "task.result",
        "TauArgument": "adapter.tau_argument",
        "TauScale": "adapter.tau_scale",
        "WindowProfile": "windows.result",
        "certify": "certificate.measure",
        "dataset_continuity": "dataset",
        "dose_response": "dose.measure",
        "huggingface_adapter": "adapter.folder",
        "label_retention": "retention.measure",
        "localise": "localisation.measure",
        "locate_model": "locate",
        "model_continuity": "model.measure",
        "ode_output": "ode.solution",
        "remedy": "remedies.measure",
        "selectivity": "selective.measure",
        "task_continuity": "task.measure",
        "window_profile": "windows.measure",
    },
)

"""Whether a model keeps the contract of a layer in time, and whether an installation works."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "CheckRow": "model.result",
        "ModelCheck": "model.result",
        "Examination": "doctor.examination",
        "check_model": "model.run",
        "examine": "doctor.examination",
        "model_checks": "model.catalogue",
    },
)

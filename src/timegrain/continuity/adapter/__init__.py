"""What `model_continuity` has to know about a model that it cannot ask."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "ModelAdapter": "model_adapter",
        "TauArgument": "tau_argument",
        "TauScale": "tau_scale",
        "huggingface_adapter": "folder",
    },
)

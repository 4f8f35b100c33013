"""One training in several processes, as `torchrun` starts them."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "SharedGradient": "gradient",
        "Team": "team",
        "Together": "together",
        "check_agreement": "agreement",
        "leads": "environment",
    },
)

"""Functions that take results and return a matplotlib `Figure`; none of them uses pyplot."""

from timegrain.core.lazy import attach

# A function and the module that holds it differ in name: an imported submodule would hide it.
__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "amplitude_curves": "amplitudes",
        "attribution": "holding",
        "dose_curves": "doses",
        "headline": "pair",
        "pace": "clock",
        "profiles": "discontinuity",
        "refined_scores": "finer",
        "refinement": "ladder",
        "retention_curves": "kept",
        "transfer": "rates",
        "window_curves": "windows",
    },
)

"""Functions that take results and return a matplotlib `Figure`; none of them uses pyplot."""

from timegrain.core.lazy import attach

# A function and the module that holds it differ in name: an imported submodule would hide it.
__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "ONE_COLUMN": "frame",
        "TWO_COLUMNS": "frame",
        "amplitude_curves": "amplitudes",
        "attribution": "holding",
        "cure_rows": "cured",
        "dose_curves": "doses",
        "headline": "pair",
        "module_rows": "modules",
        "pace": "clock",
        "profiles": "discontinuity",
        "refined_scores": "finer",
        "refinement": "ladder",
        "retention_curves": "kept",
        "save_vector": "save",
        "transfer": "rates",
        "window_curves": "windows",
    },
)

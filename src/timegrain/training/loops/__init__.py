"""A plan in other people's training loops: plain torch, the Hugging Face Trainer, Lightning."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "StepBatches": "step_batches",
        "SubsamplingCollator": "collator",
        "Timetable": "timetable",
        "huggingface": "",
        "lightning": "",
    },
)

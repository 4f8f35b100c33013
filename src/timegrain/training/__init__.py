"""Training at several strides, checkpoints that know their step, and networks at other rates."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "BaselineScore": "baseline",
        "Batch": "batch",
        "Checkpoint": "checkpoint",
        "EpochRow": "run",
        "StageRow": "stages",
        "TrainingRun": "run",
        "TransferCurve": "transfer",
        "TransferRow": "transfer",
        "baseline_score": "baseline",
        "decimate": "batch",
        "evaluate": "score",
        "load_checkpoint": "checkpoint",
        "parse_stages": "stages",
        "save_checkpoint": "checkpoint",
        "train": "loop",
        "transfer": "transfer",
    },
)

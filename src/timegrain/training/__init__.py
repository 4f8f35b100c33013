"""Training at several strides, checkpoints that know their step, and networks at other rates."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "BaselineScore": "baseline",
        "Batch": "batch",
        "Checkpoint": "checkpoint",
        "CheckpointRecord": "checkpoint_record",
        "EpochRow": "run",
        "PlanAdvice": "plan.advice",
        "Scaling": "scaling",
        "Score": "score",
        "Stage": "plan.stage",
        "StageRow": "stages",
        "SubsamplingPlan": "plan.plan",
        "TrainingRun": "run",
        "TransferCurve": "rate_transfer",
        "TransferRow": "rate_transfer",
        "baseline_score": "baseline",
        "decimate": "batch",
        "decimator_fit": "decimators",
        "evaluate": "score",
        "find_checkpoints": "checkpoint_files",
        "input_scaling": "scaling",
        "load_checkpoint": "checkpoint_files",
        "parse_stages": "stages",
        "save_checkpoint": "checkpoint_files",
        "subsampling_plan": "plan.recommend",
        "target_scaling": "scaling",
        "tau_at": "step_ratio",
        "train": "loop",
        "transfer": "rate_transfer",
    },
)

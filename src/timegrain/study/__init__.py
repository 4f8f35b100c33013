"""Presets that run several measurements in order and return their results."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "DemoResults": "demo",
        "DemoSettings": "settings",
        "Preset": "presets.preset",
        "Progress": "progress",
        "ProgressEvent": "progress",
        "Trained": "job",
        "TrainingJob": "job",
        "TrainingMoment": "progress",
        "check_free": "storage",
        "check_jobs": "trainings",
        "check_same": "unfinished",
        "finished_results": "finished",
        "has_begun": "storage",
        "is_finished": "finished",
        "keep_plan": "plan_file",
        "keep_snapshots": "unfinished",
        "kept_plan": "plan_file",
        "remove_snapshots": "unfinished",
        "run_demo": "demo",
        "run_study": "presets.conduct",
        "run_trainings": "trainings",
        "sole_output": "unfinished",
        "store_checkpoints": "storage",
    },
)

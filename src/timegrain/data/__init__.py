"""Datasets by name or path, as sequences with their time step; tasks made of them."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "Dataset": "dataset",
        "DatasetCard": "card",
        "Generator": "generated",
        "Part": "task",
        "SignalFamily": "signals",
        "SourceCheck": "source_check",
        "Task": "task",
        "TaskCard": "cards",
        "check_source": "source_check",
        "datasets": "catalogue",
        "describe_datasets": "catalogue",
        "load_dataset": "load",
        "load_datasets": "several",
        "load_task": "tasks",
        "make_task": "tasks",
        "make_windows": "windows",
        "signal_families": "signals",
        "source_checks": "source_check",
        "task_card": "cards",
        "task_cards": "cards",
    },
)

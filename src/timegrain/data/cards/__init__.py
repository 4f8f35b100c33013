"""What is known about every shipped set and task without reading it, one TOML file each."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "Learnable": "learnable",
        "LiteratureScore": "literature",
        "Problem": "problem",
        "Size": "size",
        "TaskCard": "description",
        "read_card": "reading",
        "task_card": "shelf",
        "task_cards": "shelf",
    },
)

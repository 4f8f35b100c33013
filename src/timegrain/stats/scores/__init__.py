"""Scores of predictions, each with the score of no skill and of no error."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "Metric": "metric",
        "accuracy": "right_share",
        "auroc": "ranking",
        "balanced_accuracy": "recall",
        "macro_f1": "f_measure",
        "mae": "absolute_error",
        "metric_of": "metric",
        "metrics": "metric",
        "r2": "determination",
        "skill": "metric",
        "trivial_answers": "metric",
    },
)

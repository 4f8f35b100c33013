"""What the numbers say to someone who has to decide, in sentences."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "Advice": "sampling.result",
        "Sentence": "sentence",
        "Verdict": "judgement",
        "advise": "sampling.recommend",
        "verdict": "judgement",
    },
)

"""Words that titles and captions share, and what a figure says in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from timegrain.core.table import ordinal as ordinal

_METRICS = {"accuracy": "accuracy", "r2": "R²"}


@dataclass(frozen=True, kw_only=True)
class Words:
    """What goes around a figure.

    Args:
        title: What is seen, in one sentence.
        caption: How to read it, in one or two sentences, for a newcomer.
        description: The figure in words, for people who do not see it.
    """

    title: str
    caption: str
    description: str


def metric_name(metric: str) -> str:
    """Return the name of a metric as people write it."""
    return _METRICS.get(metric, metric)


def minus(text: str) -> str:
    """Return numbers with the sign that is as wide as a plus.

    Example:
        >>> minus("-0.17")
        '−0.17'
    """
    return text.replace("-", "−")


def listing(items: Sequence[str]) -> str:
    """Return items joined by commas and a last `and`.

    Example:
        >>> listing(["a", "b", "c"])
        'a, b and c'
    """
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def unique(items: Sequence[str]) -> list[str]:
    """Return the items without repetition, in the order in which they first came."""
    return list(dict.fromkeys(items))

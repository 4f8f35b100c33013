"""What is to be predicted, from how many cases, and how it is scored."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from timegrain.core.errors import DataError
from timegrain.data.cards.checks import check_count, check_score, check_text, check_word
from timegrain.data.cards.learnable import Learnable


@dataclass(frozen=True, kw_only=True)
class Problem:
    """The task that `load_task(name, **words)` makes of a set.

    Args:
        asks: What is predicted.
        target: `"class"` or `"value"`.
        metric: `"accuracy"` for classes, `"r2"` for values.
        trivial: Score of the commonest training class, or of the training mean.
        train: Cases to learn from.
        test: Cases to be scored on.
        validation: Cases to choose by; 0 where the source has no such part.
        classes: How many; None for values.
        outputs: Values a case; 1 for classes.
        per_sample: Whether samples are asked, not cases.
        learnable: Whether random convolutions with a ridge, and a small network trained for
            minutes, were measured to score above `trivial`.
        words: Options with which `load_task` makes it; empty where the name is enough. Read-only,
            as cards are shared.

    Raises:
        DataError: If a field is outside its domain, or fields contradict each other.

    Example:
        >>> Problem(
        ...     asks="draws or points", target="class", metric="accuracy", trivial=0.493,
        ...     train=50, test=150, classes=2,
        ... ).outputs
        1
    """

    asks: str
    target: str
    metric: str
    trivial: float
    train: int
    test: int
    validation: int = 0
    classes: int | None = None
    outputs: int = 1
    per_sample: bool = False
    learnable: Learnable = field(default_factory=Learnable)
    words: Mapping[str, object] = field(default_factory=dict)

    def __reduce__(self) -> Any:
        """Tell another process of it, which cannot be told of what is read-only."""
        return _problem, ({**vars(self), "words": dict(self.words)},)

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", MappingProxyType(dict(self.words)))
        check_text("problem", asks=self.asks)
        check_word("problem", "target", self.target, ("class", "value"))
        of_classes = self.target == "class"
        check_word("problem", "metric", self.metric, ("accuracy",) if of_classes else ("r2",))
        check_score("problem", "trivial", self.metric, self.trivial)
        check_count("problem", least=1, train=self.train, test=self.test, outputs=self.outputs)
        check_count("problem", least=0, validation=self.validation)
        if of_classes != (self.classes is not None) or (of_classes and self.outputs != 1):
            raise DataError(
                "problem has a number of classes or of outputs that its target does not",
                got=f"target={self.target!r}, classes={self.classes}, outputs={self.outputs}",
                expected="classes for a class, one output; outputs for values",
            )
        if self.classes is not None:
            check_count("problem", least=2, classes=self.classes)


def _problem(fields: Mapping[str, Any]) -> Problem:
    return Problem(**fields)

"""Which score counts, what it is computed from, and what no skill and no error are worth."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import UnknownNameError
from timegrain.core.registry import suggest
from timegrain.stats.magnitude import power_of_two
from timegrain.stats.scores.absolute_error import mae
from timegrain.stats.scores.determination import r2
from timegrain.stats.scores.f_measure import macro_f1
from timegrain.stats.scores.ranking import auroc
from timegrain.stats.scores.recall import balanced_accuracy
from timegrain.stats.scores.right_share import accuracy
from timegrain.stats.scores.weighting import Weights

TargetKind = Literal["class", "value"]


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A score with its ends.

    Args:
        name: As users write it.
        target_kind: `"class"` or `"value"`.
        perfect: The score of no error.
        function: `f(y, answers, weights=None)`.
        uses_decisions: It needs one value a class, not the answered class.
        words: What it is called in a sentence.
    """

    name: str
    target_kind: TargetKind
    perfect: float
    function: Callable[..., Any]
    uses_decisions: bool = False
    words: str = ""

    def score(
        self, y: np.ndarray, decisions: np.ndarray, *, weights: Weights = None
    ) -> float | Float64[np.ndarray, " replicate"]:
        """Return the score of what a model gives.

        Args:
            y: Numbers of classes or values, `(case,)`; several values, `(case, output)`.
            decisions: One value a class, `(case, klass)`, the largest of which is the answer; or
                values as `y`.
            weights: `(replicate, case)`; None for each case once.
        """
        if self.target_kind == "class" and not self.uses_decisions:
            decisions = decisions.argmax(axis=1)
        return self.function(y, decisions, weights=weights)

    def trivial(
        self, y: np.ndarray, *, weights: Weights = None, n_classes: int | None = None
    ) -> float | Float64[np.ndarray, " replicate"]:
        """Return the score of the commonest class, or of the mean, of `y`.

        Args:
            y: Numbers of classes or values, `(case,)`.
            weights: `(replicate, case)`; the constant answer stays that of `y`.
            n_classes: Number of classes, the largest in `y` plus one if not given.
        """
        kind = self.target_kind
        answers = trivial_answers(y, len(y), target_kind=kind, n_classes=n_classes)
        return self.score(y, answers, weights=weights)


metrics: dict[str, Metric] = {
    m.name: m
    for m in (
        Metric(
            name="accuracy", target_kind="class", perfect=1.0, function=accuracy, words="accuracy"
        ),
        Metric(
            name="balanced_accuracy",
            target_kind="class",
            perfect=1.0,
            function=balanced_accuracy,
            words="balanced accuracy",
        ),
        Metric(
            name="macro_f1", target_kind="class", perfect=1.0, function=macro_f1, words="macro F1"
        ),
        Metric(
            name="auroc",
            target_kind="class",
            perfect=1.0,
            function=auroc,
            uses_decisions=True,
            words="AUROC",
        ),
        Metric(
            name="mae",
            target_kind="value",
            perfect=0.0,
            function=mae,
            words="mean absolute error",
        ),
        Metric(name="r2", target_kind="value", perfect=1.0, function=r2, words="R2"),
    )
}


def metric_of(name: str | None, target_kind: TargetKind) -> Metric:
    """Return a metric by name, or the default of a kind of target: accuracy, or R2.

    Args:
        name: As in `metrics`; None for the default.
        target_kind: `"class"` or `"value"`.

    Raises:
        UnknownNameError: If there is none of that name for such a target.

    Example:
        >>> metric_of(None, "value").name, metric_of("auroc", "class").perfect
        ('r2', 1.0)
    """
    if name is None:
        name = "accuracy" if target_kind == "class" else "r2"
    fitting = [m.name for m in metrics.values() if m.target_kind == target_kind]
    if name not in fitting:
        noun = "classes" if target_kind == "class" else "values"
        raise UnknownNameError(
            f"there is no metric of {noun} of that name",
            got=repr(name),
            expected=", ".join(fitting),
            hint=None if name in metrics else suggest(str(name), fitting),
        )
    return metrics[name]


def trivial_answers(
    y: np.ndarray, count: int, *, target_kind: TargetKind, n_classes: int | None = None
) -> Float64[np.ndarray, "case ..."]:
    """Return the answers of no skill: the commonest class of `y`, or its mean, `count` times.

    Args:
        y: Numbers of classes or values; among classes as common, the lowest number wins.
        count: Answers wanted.
        target_kind: `"class"` gives one column a class, 1 in that of the answer.
        n_classes: Columns.
    """
    if target_kind == "value":
        unit = power_of_two(y)
        return np.full((count, *y.shape[1:]), (y / unit).mean(axis=0) * unit, dtype=np.float64)
    counts = np.bincount(y, minlength=n_classes or 0)
    return np.tile((np.arange(len(counts)) == counts.argmax()).astype(np.float64), (count, 1))


def skill(score: Any, trivial: Any, perfect: float) -> Any:
    """Return `(score - trivial) / (perfect - trivial)`, unclipped; NaN where both ends meet.

    Args:
        score: One or many.
        trivial: Score of no skill, as many.
        perfect: Score of no error.

    Example:
        >>> skill(0.9, 0.8, 1.0).__round__(6), skill(3.0, 2.0, 0.0)
        (0.5, -0.5)
    """
    span = np.asarray(perfect - np.asarray(trivial), dtype=np.float64)
    gain = np.asarray(score, dtype=np.float64) - trivial
    out = np.divide(gain, span, out=np.full(gain.shape, np.nan), where=span != 0)
    return float(out) if out.ndim == 0 else out

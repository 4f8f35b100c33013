"""What fine-tuning gained, over the same test cases before and after."""

from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float64

from timegrain.training.deployment.drop import paired_drop
from timegrain.training.deployment.summary import signed
from timegrain.training.score import Score
from timegrain.training.units import ScoreUnits

if TYPE_CHECKING:
    from timegrain.training.objective import Objective

Lost = Float64[np.ndarray, " case"]


def gain(
    before: Lost, after: Lost, possible: Lost, *, units: ScoreUnits, objective: "Objective"
) -> tuple[float, float | None, float | None]:
    """Return how much higher a network scores after fine-tuning, with its 95 % interval.

    Args:
        before: What each case lost before.
        after: What it loses after.
        possible: What it could lose.
        units: Which cases belong together.
        objective: What is counted.
    """
    one_answer = objective.target_kind == "class"
    drop = paired_drop(before, after, possible, units=units, one_answer=one_answer)
    if drop.low is None or drop.high is None:
        return -drop.value, None, None
    return -drop.value, -drop.high, -drop.low


def gain_text(
    where: str,
    metric: str,
    before: Score,
    after: float,
    found: tuple[float, float | None, float | None],
) -> str:
    """Return scores before and after in a sentence.

    Args:
        where: At which step, as the beginning of the sentence.
        metric: Of the scores.
        before: Before fine-tuning.
        after: After it.
        found: From `gain`.
    """
    value, low, high = found
    ends = "no interval"
    if low is not None and high is not None:
        over = before.over.describe().removeprefix("over ")
        ends = f"95 % interval {signed(low)} to {signed(high)}, over the same {over}"
    return (
        f"{where}, {metric} was {before.score:.3f} before fine-tuning and is {after:.3f}: a gain "
        f"of {signed(value)} ({ends})."
    )

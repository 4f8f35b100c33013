"""How much higher trainings score than others of the same seeds, and how sure that is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float64

from timegrain.training.wording import count

if TYPE_CHECKING:
    from timegrain.training.run import TrainingRun

Pair = tuple["TrainingRun", "TrainingRun"]


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A difference of two scores.

    Args:
        value: The second less the first, the mean over seeds.
        low: Lower end of the 95 % interval; None where there is none.
        high: Upper end.
        over: What the interval is over.
    """

    value: float
    low: float | None
    high: float | None
    over: str

    def describe(self) -> str:
        """Return it in words."""
        if self.low is None or self.high is None:
            return f"{self.value:+.3f} (no interval)"
        return f"{self.value:+.3f} (95 % interval {self.low:+.3f} to {self.high:+.3f}, {self.over})"


def paired_difference(pairs: "Sequence[Pair]") -> Difference:
    """Return how much higher the second training of each pair scores than the first.

    Where each test case was answered rightly or wrongly, both are compared case by case, as in
    `paired_drop`; answers of several seeds are averaged before. Else nothing can be paired, and
    the interval is that of the difference of two independent scores: too wide rather than too
    narrow, since both were scored on the same cases.

    Args:
        pairs: Two trainings of a seed each, scored on the same test part.
    """
    value = math.fsum(b.score - a.score for a, b in pairs) / len(pairs)
    wrong = [_wrong(pair) for pair in pairs]
    known = [w for w in wrong if w is not None]
    if len(known) < len(pairs) or len({len(first) for first, _ in known}) != 1:
        return _unpaired(value, pairs)
    return _paired(pairs[0][0], known, value)


def _wrong(pair: "Pair") -> tuple[np.ndarray, np.ndarray] | None:
    """Return which answers of both were wrong; None where they cannot be laid side by side."""
    first, second = pair
    if not first.correct or not second.correct or len(first.correct) != len(second.correct):
        return None
    if first.grouped and first.unit_of is None:  # a record that does not say what is together
        return None
    return tuple(np.array([c == "0" for c in r.correct or ""], dtype=float) for r in pair)  # type: ignore[return-value]


def _paired(
    run: "TrainingRun", wrong: Sequence[tuple[np.ndarray, np.ndarray]], value: float
) -> Difference:
    from timegrain.training.deployment.drop import paired_drop
    from timegrain.training.units import ScoredOver, ScoreUnits

    before: Float64[np.ndarray, " case"] = np.mean([w[0] for w in wrong], axis=0)
    after: Float64[np.ndarray, " case"] = np.mean([w[1] for w in wrong], axis=0)
    n = len(before)
    over = run.over or ScoredOver(unit="sequence", n_units=n, case="sequence", n_cases=n)
    of = None if run.unit_of is None else np.array(run.unit_of.split(), dtype=np.int64)
    drop = paired_drop(
        before,
        after,
        np.ones(n),
        units=ScoreUnits(of=of, over=over),
        one_answer=len(wrong) == 1 or bool((before == after).all()),
    )
    words = "over the same " + over.describe().removeprefix("over ")
    if drop.low is None or drop.high is None:
        return Difference(value=value, low=None, high=None, over=words)
    return Difference(value=value, low=-drop.high, high=-drop.low, over=words)


def _unpaired(value: float, pairs: "Sequence[Pair]") -> Difference:
    words = "of independent scores: nothing is known case by case"
    ends = [(r.score, r.low, r.high) for pair in pairs for r in pair]
    if any(low is None or high is None for _, low, high in ends):
        return Difference(value=value, low=None, high=None, over=words)
    # seeds are scored on the same cases, so that their mean is no surer than one of them
    below, above = [], []
    for first, second in pairs:
        below.append(
            math.hypot(second.score - (second.low or 0.0), (first.high or 0.0) - first.score)
        )
        above.append(
            math.hypot((second.high or 0.0) - second.score, first.score - (first.low or 0.0))
        )
    return Difference(
        value=value,
        low=value - math.fsum(below) / len(below),
        high=value + math.fsum(above) / len(above),
        over=words,
    )


def seeds_text(seeds: int) -> str:
    """Return how far so many seeds go.

    Args:
        seeds: At least one.
    """
    if seeds == 1:
        return "One seed is one seed: another may say otherwise."
    return f"Scores are medians over {count(seeds, 'seed')}; the interval is over test cases alone."

"""Scores, skills and their ratios, with intervals over what is independent."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64

from timegrain.core.seeds import stream
from timegrain.stats.bootstrap import MIN_BOOTSTRAP_CASES
from timegrain.stats.magnitude import power_of_two
from timegrain.stats.scores.metric import Metric, skill

MAX_STRETCHES = 30


@dataclass(frozen=True, kw_only=True, eq=False)
class Estimate:
    """A number, and what it becomes when the cases are drawn anew.

    Args:
        value: Of the cases as they are.
        draws: Of each replicate, or with each unit left out, `(replicate,)`.
    """

    value: float
    draws: Float64[np.ndarray, " replicate"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Redraws:
    """How cases are weighted to see how sure a number is.

    With 60 units or more, a bootstrap over units and percentiles; with fewer, each unit left out
    in turn (the jackknife) and Student's t, because percentiles of few units are too narrow.

    Args:
        weights: How often each case counts, `(replicate, case)`.
        n_units: Units.

    Source:
        Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters 11 and 13.
    """

    weights: Float64[np.ndarray, "replicate case"]
    n_units: int

    @classmethod
    def of(cls, unit: Int64[np.ndarray, " case"], *, replicates: int, seed: int) -> "Redraws":
        """Return the weights of cases.

        Args:
            unit: Number of each case's unit, from 0 without gaps.
            replicates: Of the bootstrap.
            seed: Of the bootstrap.
        """
        count = int(unit.max()) + 1
        if count >= MIN_BOOTSTRAP_CASES:
            random = stream(seed, "retention bootstrap")
            drawn = random.multinomial(count, np.full(count, 1 / count), size=replicates)
        else:
            drawn = 1 - np.eye(count, dtype=np.int64)
        return cls(weights=drawn[:, unit].astype(np.float64), n_units=count)

    def interval(self, estimate: Estimate) -> tuple[float, float] | tuple[None, None]:
        """Return the 95 % interval of a number; none with fewer than two units."""
        draws = estimate.draws[np.isfinite(estimate.draws)]
        if self.n_units < 2 or len(draws) < 2 or not np.isfinite(estimate.value):
            return None, None
        if self.n_units >= MIN_BOOTSTRAP_CASES:
            low, high = np.quantile(draws, [0.025, 0.975])
            return float(low), float(high)
        from scipy.special import stdtrit

        n = len(draws)
        unit = power_of_two(draws)
        draws = draws / unit
        error = np.sqrt((n - 1) / n * ((draws - draws.mean()) ** 2).sum())
        reach = float(stdtrit(n - 1, 0.975) * error * unit)
        return estimate.value - reach, estimate.value + reach


def interval_units(
    way: str, of: Int64[np.ndarray, " case"], *, span: int, guard: int
) -> Int64[np.ndarray, " case"]:
    """Return which cases are drawn together: groups, recordings, or stretches of time.

    Args:
        way: As `Units.way`.
        of: As `Units.of`.
        span: Samples of the recording, for `"time"`.
        guard: Samples of a window with its forecast, which a stretch has to exceed.
    """
    if way != "time":
        return of
    count = max(2, min(MAX_STRETCHES, len(of), span // guard))
    return of * count // len(of)


def scored(
    metric: Metric,
    y: np.ndarray,
    decisions: Float64[np.ndarray, "repeat case output"],
    redraws: Redraws,
) -> Estimate:
    """Return the mean score over repeats.

    Args:
        metric: The score.
        y: Numbers of classes, or values, `(case,)` or `(case, output)`.
        decisions: From `out_of_fold`.
        redraws: How to weight cases.
    """
    shaped = decisions[..., 0] if metric.target_kind == "value" and y.ndim == 1 else decisions
    values = [float(metric.score(y, d)) for d in shaped]
    draws = [np.asarray(metric.score(y, d, weights=redraws.weights)) for d in shaped]
    return Estimate(value=float(np.mean(values)), draws=np.mean(draws, axis=0))


def skilled(metric: Metric, score: Estimate, trivial: Estimate) -> Estimate:
    """Return the skill of a score, its trivial score drawn with it."""
    return Estimate(
        value=float(skill(score.value, trivial.value, metric.perfect)),
        draws=skill(score.draws, trivial.draws, metric.perfect),
    )


def retained(part: Estimate, whole: Estimate) -> Estimate:
    """Return the ratio of two skills of the same cases."""
    draws = np.full(len(part.draws), np.nan)
    np.divide(part.draws, whole.draws, out=draws, where=whole.draws > 0)
    return Estimate(value=part.value / whole.value, draws=draws)

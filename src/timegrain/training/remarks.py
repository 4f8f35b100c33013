"""Sentences beside scores: what their intervals are over, and whether they beat no model at all."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from timegrain.core.table import number

if TYPE_CHECKING:
    from timegrain.core.result import Result
    from timegrain.training.rate_transfer import TransferRow
    from timegrain.training.run import TrainingRun
    from timegrain.training.units import ScoredOver

TOLD_NOTE = (
    "tau is the step of the samples over that of the training: told, the network is given it; not "
    "told, it is given 1, as when a network meets another rate and nobody says so."
)
_ANSWER = {"accuracy": "the commonest training class", "r2": "the training mean"}


def tuned_text(ratio: float) -> str:
    """Return that a stored network was trained on, and at which rate.

    Args:
        ratio: The new step over the trained one.

    Example:
        >>> tuned_text(2.0)
        'fine-tuned at tau 2'
    """
    return f"fine-tuned at tau {number(ratio)}"


def tuned(result: "Result") -> str:
    """Return `tuned_text` of the training behind a result; empty where it began from nothing.

    Args:
        result: A training, or scores of what it made.
    """
    said = result.provenance.parameters.get("init")
    ratio = said.get("ratio") if isinstance(said, Mapping) else None
    return "" if ratio is None else tuned_text(float(ratio))


def over_notes(over: "ScoredOver") -> tuple[str, ...]:
    """Return a sentence on an interval over groups, or on its absence.

    Args:
        over: What was scored.
    """
    if over.n_units < 2:
        return (f"No interval: {over.why_none}.",)
    if not over.grouped:
        return ()
    what = "stretches of the recording" if over.unit == "stretch" else f"{over.unit}s"
    return (
        f"The 95 % interval is over {what}, since {over.case}s of one are alike; it is that of the "
        "network as trained, for others of which these are a sample.",
    )


def trivial_notes(metric: str, score: float, trivial: float) -> tuple[str, ...]:
    """Return a sentence where a score is below the trivial one.

    Args:
        metric: `"accuracy"` or `"r2"`.
        score: The score.
        trivial: That of the trivial answer.
    """
    if not _below(score, trivial):
        return ()
    return (
        f"{metric} {score:.3f} is below the trivial {trivial:.3f}: always answering "
        f"{_ANSWER[metric]} scores more here.",
    )


def unlearned_notes(
    metric: str, low: float | None, high: float | None, trivial: float
) -> tuple[str, ...]:
    """Return a sentence where a training has not surely learned anything.

    Args:
        metric: `"accuracy"` or `"r2"`.
        low: Lower end of the interval of the score; None where there is none.
        high: Upper end.
        trivial: Score of the trivial answer.
    """
    if low is None or high is None or low > trivial:
        return ()
    return (
        f"Not surely better than always answering {_ANSWER[metric]}: the 95 % interval "
        f"{low:.3f} to {high:.3f} begins below the trivial {metric} {trivial:.3f}.",
    )


def unlearned_sentences(run: "TrainingRun") -> tuple[str, ...]:
    """Return the sentence of a training's notes that it has not surely learned anything, if any.

    Args:
        run: Its record.
    """
    return trivial_notes(run.metric, run.score, run.trivial_score) or unlearned_notes(
        run.metric, run.low, run.high, run.trivial_score
    )


def coarse_trivial_notes(
    metric: str, rows: "Sequence[TransferRow]", trivial: float
) -> tuple[str, ...]:
    """Return a sentence that lists the rates at which a score is below the trivial one.

    Args:
        metric: `"accuracy"` or `"r2"`.
        rows: Of a transfer curve.
        trivial: Score of the trivial answer.
    """
    below = [
        f"tau = {row.stride} {'told' if row.told else 'not told'}"
        for row in rows
        if _below(row.score, trivial)
    ]
    if not below:
        return ()
    return (
        f"Below the trivial {metric} {trivial:.3f} of always answering {_ANSWER[metric]}: "
        f"{', '.join(below)}.",
    )


def _below(score: float, trivial: float) -> bool:
    """Whether a score is lower by more than the rounding of a mean."""
    return trivial - score > 1e-9 * max(1.0, abs(trivial))


def interval_text(low: float | None, high: float | None, over: "ScoredOver | None") -> str:
    """Return an interval in brackets, or why there is none.

    Args:
        low: Lower end.
        high: Upper end.
        over: What it is over, where it is known.
    """
    if low is None or high is None:
        return "" if over is None else f" (no interval: {over.why_none})"
    return f" (95 % interval {low:.3f} to {high:.3f})"

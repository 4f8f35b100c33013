"""Scores of a stored network at slower rates."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from timegrain.core.errors import ConfigError
from timegrain.core.outcome import Outcome
from timegrain.core.provenance import Provenance
from timegrain.core.table import number
from timegrain.data.units import SECONDS
from timegrain.models.options import shown
from timegrain.training.deployment.inputs import (
    check_fits,
    split_notes,
)
from timegrain.training.deployment.recorded import RecordedTask
from timegrain.training.deployment.result import RateScore, RateTransfer
from timegrain.training.deployment.scorer import Scorer
from timegrain.training.feasible import LEAST, class_notes, coarse_notes
from timegrain.training.rate_transfer import UNTOLD_ONLY_NOTE
from timegrain.training.remarks import TOLD_NOTE, over_notes, trivial_notes
from timegrain.training.trainer.numbers import is_number, plain_number
from timegrain.training.wording import count

if TYPE_CHECKING:
    from timegrain.training.checkpoint import Checkpoint

WAYS_NOTE = (
    "Thinned: every k-th sample as it is, so that fast content folds down. Filtered: recordings "
    "are low-passed to .8 of the new Nyquist frequency first, as a slower converter would; where a "
    "label belongs to a window's last sample the filter sees nothing behind it."
)
CHEAPEST_NOTE = (
    "The cheapest rate is the slowest at which the upper end of the drop's 95 % interval is within "
    "the tolerance, there and at all faster rates scored, thinned and, where that could be "
    "measured, filtered; the network is told its step where it can be."
)


def score_rates(
    checkpoint: "Checkpoint",
    recorded: RecordedTask,
    *,
    strides: Sequence[float] = (1, 2, 4),
    tolerance: float = 0.02,
    seed: int | None = None,
) -> RateTransfer:
    """Score a stored network at slower rates, told its step and not told, thinned and filtered.

    Args:
        checkpoint: From `load_checkpoint`.
        recorded: From `load_recorded`, at the rate the network was trained at.
        strides: Steps of the samples over the trained step, >= 1; 1 is added.
        tolerance: The drop that is allowed, in units of the score.
        seed: Of the split, for the record.

    Raises:
        ConfigError: If a stride is none, leaves too little of the sequences, or the tolerance is
            no number >= 0.
        GridError: If the data are not at the trained rate.
        ModelError: If the network does not fit the task or answers NaN or infinity.
        DataError: If a value cannot be read.
    """
    check_rates(checkpoint, recorded, strides=strides, tolerance=tolerance)
    task, record = recorded.task, checkpoint.record
    ks = sorted({1.0, *(float(k) for k in strides)})
    scorer = Scorer(checkpoint, recorded)
    rows = tuple(row for k in ks for row in scorer.rows(k))
    first, over = rows[0], scorer.units.over
    stride, why = _cheapest(rows, tolerance, scorer)
    takes_tau = bool(checkpoint.model.takes_tau)
    at_trained = scorer.reference_score
    parameters: dict[str, object] = {
        "model": record.model,
        "task": task.name,
        **task.dataset.versioned,
        "strides": ks,
        "tolerance": tolerance,
    }
    if record.dt_tuned is not None and record.dt_tuned != record.dt_trained:
        parameters["dt_tuned"] = record.dt_tuned
    return RateTransfer(
        name=f"{record.model['name']} on {task.name}",
        outcome=Outcome.MEASURED,
        provenance=Provenance.collect(seed=seed, parameters=parameters),
        reasons=_reasons(why, record.unit, over.why_none if first.low is None else ""),
        notes=(
            WAYS_NOTE,
            TOLD_NOTE,
            CHEAPEST_NOTE,
            *(() if takes_tau else (UNTOLD_ONLY_NOTE,)),
            *_unfiltered_notes(rows, stride),
            *split_notes(record, task),
            *class_notes(task),
            *coarse_notes(task, _whole(ks), part="test"),
            *over_notes(over),
            *trivial_notes(task.metric, at_trained, task.trivial_score),
        ),
        model=record.model,
        task=task.name,
        takes_tau=takes_tau,
        dt_trained=record.dt_trained,
        unit=record.unit,
        hz=_hertz(record.dt_trained, record.unit),
        metric=task.metric,
        trivial_score=task.trivial_score,
        n_test=len(task.test),
        over=over,
        score=at_trained,
        low=first.low,
        high=first.high,
        tolerance=float(tolerance),
        stride=stride,
        scores=rows,
    )


def check_rates(
    checkpoint: "Checkpoint",
    recorded: RecordedTask,
    *,
    strides: Sequence[float],
    tolerance: float,
) -> None:
    """Check that `score_rates` can be asked this, before anything is computed.

    Raises:
        ConfigError: As `score_rates`.
        GridError: As `score_rates`.
        ModelError: If the network does not fit the task.
    """
    given: object = strides
    several = isinstance(given, Iterable) and not isinstance(given, str)
    ks = [plain_number(k) for k in strides] if several else []
    if not ks or not all(is_number(k) and 1 <= k < math.inf for k in ks):
        raise ConfigError(
            "these are no slower rates",
            got=f"strides={tuple(strides) if several else shown(given)}",
            expected="several numbers, 1 or more",
        )
    drop = plain_number(tolerance)
    if not is_number(drop) or not 0 <= drop < math.inf:
        raise ConfigError(
            "a tolerance is a drop in score",
            got=f"tolerance={shown(tolerance)}",
            expected="0 or more",
        )
    check_fits(checkpoint, recorded.task)
    _check_slowest(checkpoint, recorded, max(strides))


def _check_slowest(checkpoint: "Checkpoint", recorded: RecordedTask, stride: float) -> None:
    """Refuse rates that leave too few samples, in the words in which rates are said."""
    longest = max(map(int, recorded.task.test.lengths), default=0)
    most = max((longest - 1) // (LEAST - 1), 1)
    if longest == 0 or math.ceil(stride) <= most:
        return
    left = count(-(-longest // math.ceil(stride)), "sample")
    raise ConfigError(
        f"the sequences of {recorded.task.name} are too short for these rates",
        got=f"tau = {number(stride, 6)}{_in_hertz(checkpoint, stride, ' (')}, which leaves {left} "
        f"of {longest}",
        expected=f"at least {LEAST} samples: tau up to {most}"
        f"{_in_hertz(checkpoint, most, ' (about ')}",
    )


def _in_hertz(checkpoint: "Checkpoint", stride: float, before: str) -> str:
    """Return a rate in brackets, or nothing where hertz are unknown."""
    hertz = _hertz(checkpoint.dt_trained * stride, checkpoint.unit)
    return "" if hertz is None else f"{before}{number(hertz, 4)} Hz)"


def _cheapest(
    rows: Sequence[RateScore], tolerance: float, scorer: Scorer
) -> tuple[float | None, str]:
    """Return the slowest rate that is within the tolerance with all faster ones, or why none."""
    trivial = scorer.recorded.task.trivial_score
    if rows[0].low is None:
        return None, f"no drop has an interval: {scorer.units.over.why_none}"
    if rows[0].low <= trivial:
        return None, (
            "at the trained rate the network is not surely better than the trivial answer "
            f"(lower end {rows[0].low:.3f}, trivial {trivial:.3f}), so it has nothing to lose"
        )
    best, told = 1.0, rows[0].told
    for k in sorted({row.stride for row in rows if row.stride > 1}):
        here = [r for r in rows if r.stride == k and r.told == told and r.drop is not None]
        if any(r.drop_high is None or r.drop_high > tolerance for r in here):
            break
        if here:
            best = k
    return best, ""


def _unfiltered_notes(rows: Sequence[RateScore], stride: float | None) -> tuple[str, ...]:
    lacking = {row.stride for row in rows if row.decimator == "fir" and row.score is None}
    if stride is None or stride not in lacking:
        return ()
    return (
        "The cheapest rate rests on samples dropped as they are; behind a filter it could not be "
        "measured.",
    )


def _reasons(why: str, unit: str, why_none: str) -> dict[str, str]:
    reasons = {} if unit in SECONDS else {"hz": f"the unit of the step is {unit}, not of time"}
    if why_none:
        reasons |= dict.fromkeys(("low", "high"), why_none)
    return reasons | ({"stride": why} if why else {})


def _whole(strides: Sequence[float]) -> list[int]:
    """Return whole strides that leave as many samples, or fewer by one."""
    return [math.ceil(k) for k in strides]


def _hertz(dt: float, unit: str) -> float | None:
    return float(f"{1 / (dt * SECONDS[unit]):.9g}") if unit in SECONDS else None

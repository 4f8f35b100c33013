"""The probe at every stride, and the record of it."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float64, Int64

from timegrain.continuity.retention.cases import Cases
from timegrain.continuity.retention.filtered import Unusable
from timegrain.continuity.retention.intervals import (
    Estimate,
    Redraws,
    interval_units,
    retained,
    scored,
    skilled,
)
from timegrain.continuity.retention.lost import score_weights, unseen_losses
from timegrain.continuity.retention.options import RetentionOptions
from timegrain.continuity.retention.probe import out_of_fold, probe_gram
from timegrain.continuity.retention.remarks import width_notes
from timegrain.continuity.retention.result import KEEPS, BalanceRow, LabelRetention, RetentionRow
from timegrain.continuity.retention.thinned import thinned_from
from timegrain.core.errors import DataError
from timegrain.core.outcome import Outcome
from timegrain.core.provenance import Provenance
from timegrain.core.seeds import stream
from timegrain.data.split import Fold
from timegrain.data.together import one_group_note, units
from timegrain.stats.scores.metric import Metric

MIN_SKILL = 0.1


class Measurement:
    """One retention under way.

    Args:
        made: What is predicted from what.
        metric: How predictions are scored.
        rounds: Folds, every case tested once a round.
        options: Numbers of the measurement.
    """

    def __init__(
        self, made: Cases, metric: Metric, rounds: tuple[Fold, ...], options: RetentionOptions
    ) -> None:
        self.made, self.metric, self.rounds, self.options = made, metric, rounds, options
        self.units = units(made.cases)
        places = made.first if made.cases.starts is None else made.cases.starts
        span = int(places.max() - places.min() + made.cases.lengths.max())
        guard = int(made.cases.lengths.max()) + (made.ahead or 0)
        drawn = interval_units(self.units.way, self.units.of, span=span, guard=guard)
        self.redraws = Redraws.of(drawn, replicates=options.replicates, seed=options.seed)
        self.trivial = self._trivial()
        self.filled = 0
        self.answers: dict[int, Bool[np.ndarray, "repeat case"]] = {}

    def _trivial(self) -> Estimate:
        score = self.metric.trivial
        return Estimate(
            value=float(score(self.made.y)),
            draws=np.asarray(score(self.made.y, weights=self.redraws.weights)),
        )

    def skill_row(self, stride: int) -> tuple[RetentionRow, Estimate]:
        """Return the probe's score at a stride, and its skill."""
        decisions, n_samples = self._decisions(stride)
        if self.made.class_names:
            self.answers[stride] = decisions.argmax(axis=2) == self.made.y
        score = scored(self.metric, self.made.y, decisions, self.redraws)
        skill = skilled(self.metric, score, self.trivial)
        low, high = self.redraws.interval(score)
        best = self.metric.perfect
        if low is not None and high is not None:
            # Student's t knows no best score
            low, high = (max(low, best), high) if best == 0 else (low, min(high, best))
        skill_low, skill_high = self.redraws.interval(skill)
        skill_high = None if skill_high is None else min(skill_high, 1.0)
        row = RetentionRow(
            stride=stride,
            dt=self.made.cases.dt * stride,
            n_samples=n_samples,
            score=score.value,
            low=low,
            high=high,
            skill=skill.value,
            skill_low=skill_low,
            skill_high=skill_high,
        )
        return row, skill

    def _decisions(self, stride: int) -> tuple[Float64[np.ndarray, "repeat case output"], int]:
        """Return the probe's output for every case, and samples of one."""
        made, options = self.made, self.options
        phases = self._phases(stride)
        rounds, lengths = [], []
        for i, (series, filled) in enumerate(thinned_from(made, stride, options.decimator, phases)):
            self.filled = max(self.filled, filled)
            lengths += [len(s) for s in series]
            gram = probe_gram(series, n_features=options.n_features, seed=options.seed)
            mine = [f for f in self.rounds if len(phases) == 1 or f.repeat == i]
            mine = [replace(f, repeat=f.repeat - mine[0].repeat) for f in mine]
            rounds.append(out_of_fold(gram, made.y, mine, len(made.class_names) or None))
        return np.concatenate(rounds), int(np.median(lengths))

    def _phases(self, stride: int) -> list[Int64[np.ndarray, " case"] | None]:
        """Return the sample each case begins with: once for all repeats, or drawn for each."""
        if self.options.phase == "first" or stride == 1:
            return [None]
        # of a padded batch, so that short cases may end before it
        most = min(stride, int(self.made.cases.lengths.max()))
        return [
            stream(self.options.seed, "retention phases", stride, i).integers(
                most, size=len(self.made)
            )
            for i in range(self.options.repeats)
        ]

    def result(self, on_stride: Callable[[RetentionRow], None] | None = None) -> LabelRetention:
        """Measure every stride and return the record.

        Args:
            on_stride: Called with the row of each stride when it is measured.
        """
        try:
            first, whole = self.skill_row(1)
        except Unusable as error:
            raise DataError(f"{self.made.cases.name!r} is too short: {error}") from None
        told = whole.value >= MIN_SKILL and first.skill_low is not None and first.skill_low > 0
        why = "" if told else _unskilled(first)
        rows = []
        for stride in (1, *self.options.strides):
            try:
                row, skill = (first, whole) if stride == 1 else self.skill_row(stride)
                rows.append(self._with_retention(row, skill, whole, why))
            except Unusable as error:
                rows.append(self._unmeasured(stride, str(error)))
            if on_stride is not None:
                on_stride(rows[-1])
        return self._record(tuple(rows), told, why)

    def _with_retention(
        self, row: RetentionRow, skill: Estimate, whole: Estimate, why: str
    ) -> RetentionRow:
        if why:
            return replace(row, reason=why)
        ratio = retained(skill, whole)
        low, high = self.redraws.interval(ratio)
        if low is not None and row.stride in self.answers and row.stride > 1:
            low = min(low, ratio.value - self._unseen(row.stride) / self._range(whole))
        return replace(row, retention=ratio.value, retention_low=low, retention_high=high)

    def _unseen(self, stride: int) -> float:
        made = self.made
        return unseen_losses(
            self.answers[1],
            self.answers[stride],
            weights=score_weights(made.y, balanced=self.metric.name != "accuracy"),
            fresh=min(1.0, made.hop / made.window) if made.hop and made.window else 1.0,
        )

    def _range(self, whole: Estimate) -> float:
        return whole.value * abs(self.metric.perfect - self.trivial.value)

    def _unmeasured(self, stride: int, why: str) -> RetentionRow:
        n = int(np.median(-(-self.made.cases.lengths // stride)))
        return RetentionRow(stride=stride, dt=self.made.cases.dt * stride, n_samples=n, reason=why)

    def _record(self, rows: tuple[RetentionRow, ...], told: bool, why: str) -> LabelRetention:
        made, options = self.made, self.options
        counts = (
            np.bincount(made.y, minlength=len(made.class_names))
            if made.class_names
            else np.zeros(0, dtype=np.int64)
        )
        parameters = {
            "strides": options.strides,
            "window": made.window,
            "hop": made.hop,
            "ahead": made.ahead,
            "metric": self.metric.name,
            "decimator": options.decimator,
            "phase": options.phase,
            "n_folds": options.n_folds,
            "repeats": options.repeats,
            "replicates": options.replicates,
            "max_cases": options.max_cases,
            "n_features": options.n_features,
            **made.cases.versioned,
        }
        return LabelRetention(
            name=made.cases.name,
            outcome=Outcome.MEASURED if told else Outcome.CANNOT_TELL,
            provenance=Provenance.collect(seed=options.seed, parameters=parameters),
            reasons={"retention": why} if why else {},
            notes=(*made.recordings.notes, *made.notes, *self._notes(rows)),
            metric=self.metric.name,
            target_kind=self.metric.target_kind,
            n_cases=len(made),
            n_groups=self.redraws.n_units,
            split=self.units.way,
            window=made.window,
            hop=made.hop,
            ahead=made.ahead,
            dt=made.cases.dt,
            unit=made.cases.unit,
            decimator=options.decimator,
            n_folds=sum(f.repeat == 0 for f in self.rounds),
            repeats=options.repeats,
            trivial_score=self.trivial.value,
            perfect_score=self.metric.perfect,
            score=rows[0].score if rows[0].score is not None else self.trivial.value,
            balance=tuple(
                BalanceRow(name=n, n_cases=int(c), share=float(c / len(made)))
                for n, c in zip(made.class_names, counts, strict=True)
            ),
            profile=rows,
            coarsest=_coarsest(rows),
        )

    def _notes(self, rows: tuple[RetentionRow, ...]) -> list[str]:
        notes = []
        if self.filled:
            notes.append(
                f"{self.filled:,} missing values were put on the line between their neighbours"
            )
        if self.made.cases.times is not None:
            notes.append("the probe does not see that samples are at irregular times")
        right = {stride for stride, answers in self.answers.items() if answers.all()}
        notes += width_notes(rows, right, way=self.units.way, n_units=self.redraws.n_units)
        notes += one_group_note(self.made.cases)
        n_train = self.made.recordings.n_train
        if n_train is not None and n_train < len(self.made.recordings):
            notes.append("the published training and test parts are one here, and split anew")
        return notes


def _coarsest(rows: tuple[RetentionRow, ...]) -> int:
    best = 1
    for row in rows:
        if row.retention_low is None or row.retention_low < KEEPS:
            break
        best = row.stride
    return best


def _unskilled(first: RetentionRow) -> str:
    if first.skill is not None and first.skill < MIN_SKILL:
        return f"the probe's skill at stride 1 is {first.skill:.2f}, below {MIN_SKILL:g}"
    return "the interval of the probe's skill at stride 1 reaches 0"

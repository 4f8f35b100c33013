"""`label_retention`: what a stride costs a label."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from timegrain.continuity.retention.cases import Cases, Length, capped, make_cases
from timegrain.continuity.retention.intervals import (
    Estimate,
    Redraws,
    interval_units,
    retained,
    scored,
    skilled,
)
from timegrain.continuity.retention.options import Decimator, RetentionOptions
from timegrain.continuity.retention.probe import out_of_fold, probe_gram
from timegrain.continuity.retention.result import KEEPS, BalanceRow, LabelRetention, RetentionRow
from timegrain.continuity.retention.thinned import Unusable, thinned
from timegrain.core.errors import DataError
from timegrain.core.outcome import Outcome
from timegrain.core.provenance import Provenance
from timegrain.data.dataset import Dataset
from timegrain.data.split import Fold, folds, units
from timegrain.stats.scores.metric import Metric, metric_of

MIN_SKILL = 0.1
MIN_CASES = 10
MAX_VALUES = 5 * 10**7


def label_retention(
    data: Dataset,
    *,
    strides: Sequence[int] = (2, 4, 8, 16, 32, 64),
    window: Length = None,
    hop: Length = None,
    ahead: Length = None,
    target: str | None = None,
    metric: str | None = None,
    decimator: Decimator = "phase",
    n_folds: int = 5,
    repeats: int = 3,
    replicates: int = 999,
    seed: int = 0,
    max_cases: int = 2000,
) -> LabelRetention:
    r"""Return how much of a label's predictability is left when every k-th sample is kept.

    The probe (2,000 random-convolution features whose dilations are redrawn for the shortened
    length, and a ridge with its penalty by generalised cross-validation) is fitted anew at every
    stride and scored on cases it has not seen: groups stay whole, windows of one recording are
    never on both sides, and one recording is split in time.

    Args:
        data: Sequences with a label each; or recordings with a target a sample, or to forecast.
        strides: Whole numbers >= 2.
        window: Cut into windows of so many samples, or of a time such as `"2s"`.
        hop: From the start of one window to the next; None for no overlap.
        ahead: Forecast so many samples, or such a time, after a window's last sample.
        target: The channel to forecast, where there are several.
        metric: `accuracy`, `balanced_accuracy`, `macro_f1` or `auroc` for classes, `r2` or `mae`
            for values; None for the first of them.
        decimator: `"phase"` drops samples, as subsampling does; `"fir"` first removes what the new
            rate cannot show, as recording at that rate with a good converter would.
        n_folds: Folds of a repeat.
        repeats: Rounds of folds; the score is their mean.
        replicates: Of the bootstrap.
        seed: Of the kernels, the folds, the bootstrap and the draw of cases.
        max_cases: With more cases, so many are drawn, in proportion from groups and classes.

    Raises:
        ConfigError: If an option is outside its domain.
        DataError: If there is no label, it does not vary, or there are too few cases.
        UnknownNameError: If there is no such metric for the target.

    Math:
        `R(k) = skill(k) / skill(1)`, `skill = (m - m_trivial) / (m_perfect - m_trivial)`, not
        clipped; trivial is the commonest class, or the mean. The interval draws groups, recordings,
        stretches of time or cases, whatever the split keeps whole, for both strides alike.
        `CANNOT_TELL` if `skill(1) < .1` or its interval reaches 0.

    Note:
        Channels and features are scaled with all cases, which uses no label. Where a source
        publishes a training and a test part, the folds are of both together.

    Source:
        Dempster, Petitjean, Webb, ROCKET (Data Mining and Knowledge Discovery 2020); Golub, Heath,
        Wahba (Technometrics 1979).

    Example:
        >>> random = np.random.default_rng(0)
        >>> wave = lambda f: np.sin(f * np.arange(60.0) + random.uniform(0, 6))[:, None]
        >>> x = tuple(wave(0.2 + 0.2 * (i % 2)) for i in range(40))
        >>> y = np.arange(40) % 2
        >>> data = Dataset(name="waves", sequences=x, labels=y, class_names=("slow", "fast"))
        >>> label_retention(data, strides=[2], replicates=99).coarsest
        2
    """
    options = RetentionOptions(
        strides=strides,
        decimator=decimator,
        n_folds=n_folds,
        repeats=repeats,
        replicates=replicates,
        seed=seed,
        max_cases=max_cases,
    )
    if not isinstance(data, Dataset):
        raise DataError(
            "label_retention() measures a loaded dataset",
            got=type(data).__name__,
            expected="a Dataset, as load_dataset() returns",
        )
    made = capped(
        make_cases(data, window=window, hop=hop, ahead=ahead, target=target), max_cases, seed
    )
    _check_size(made)
    chosen = metric_of(metric, "class" if made.class_names else "value")
    rounds = folds(
        made.cases, made.y, n_folds=n_folds, repeats=repeats, ahead=made.ahead or 0, seed=seed
    )
    return _Measurement(made, chosen, rounds, options).result()


class _Measurement:
    """One retention under way."""

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

    def _trivial(self) -> Estimate:
        score = self.metric.trivial
        return Estimate(
            value=float(score(self.made.y)),
            draws=np.asarray(score(self.made.y, weights=self.redraws.weights)),
        )

    def skill_row(self, stride: int) -> tuple[RetentionRow, Estimate]:
        """Return the probe's score at a stride, and its skill."""
        series, filled = thinned(self.made, stride, self.options.decimator)
        self.filled = max(self.filled, filled)
        gram = probe_gram(series, n_features=self.options.n_features, seed=self.options.seed)
        n_classes = len(self.made.class_names) or None
        decisions = out_of_fold(gram, self.made.y, self.rounds, n_classes)
        score = scored(self.metric, self.made.y, decisions, self.redraws)
        skill = skilled(self.metric, score, self.trivial)
        low, high = self.redraws.interval(score)
        skill_low, skill_high = self.redraws.interval(skill)
        row = RetentionRow(
            stride=stride,
            dt=self.made.cases.dt * stride,
            n_samples=int(np.median([len(s) for s in series])),
            score=score.value,
            low=low,
            high=high,
            skill=skill.value,
            skill_low=skill_low,
            skill_high=skill_high,
        )
        return row, skill

    def result(self) -> LabelRetention:
        """Measure every stride and return the record."""
        try:
            first, whole = self.skill_row(1)
        except Unusable as error:
            raise DataError(f"{self.made.cases.name!r} is too short: {error}") from None
        told = whole.value >= MIN_SKILL and first.skill_low is not None and first.skill_low > 0
        why = "" if told else _unskilled(first)
        rows = [self._with_retention(first, whole, whole, why)]
        for stride in self.options.strides:
            try:
                row, skill = self.skill_row(stride)
            except Unusable as error:
                rows.append(self._unmeasured(stride, str(error)))
                continue
            rows.append(self._with_retention(row, skill, whole, why))
        return self._record(tuple(rows), told, why)

    def _with_retention(
        self, row: RetentionRow, skill: Estimate, whole: Estimate, why: str
    ) -> RetentionRow:
        if why:
            return replace(row, reason=why)
        ratio = retained(skill, whole)
        low, high = self.redraws.interval(ratio)
        return replace(row, retention=ratio.value, retention_low=low, retention_high=high)

    def _unmeasured(self, stride: int, why: str) -> RetentionRow:
        n = int(np.median(-(-self.made.cases.lengths // stride)))
        return RetentionRow(stride=stride, dt=self.made.cases.dt * stride, n_samples=n, reason=why)

    def _record(self, rows: tuple[RetentionRow, ...], told: bool, why: str) -> LabelRetention:
        made, options = self.made, self.options
        counts = np.bincount(made.y) if made.class_names else np.zeros(0, dtype=np.int64)
        parameters = {
            "strides": options.strides,
            "window": made.window,
            "hop": made.hop,
            "ahead": made.ahead,
            "metric": self.metric.name,
            "decimator": options.decimator,
            "n_folds": options.n_folds,
            "repeats": options.repeats,
            "replicates": options.replicates,
            "max_cases": options.max_cases,
            "n_features": options.n_features,
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
        flat = [str(r.stride) for r in rows if r.low is not None and r.low == r.high]
        if flat:
            notes.append(
                f"all answers count alike at stride {', '.join(flat)}, so the interval has no "
                f"width; with none of {self.redraws.n_units} wrong, up to "
                f"{300 / self.redraws.n_units:.1f} % may be (rule of three)"
            )
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


def _check_size(made: Cases) -> None:
    if len(made) < MIN_CASES:
        raise DataError(
            f"{made.cases.name!r} has too few labelled cases",
            got=len(made),
            expected=f"{MIN_CASES} or more",
            hint="shorter windows (window=, hop=), or more recordings",
        )
    values = int(made.cases.lengths.sum()) * made.cases.n_channels
    if values > MAX_VALUES:
        raise DataError(
            f"the cases of {made.cases.name!r} are too long for the probe",
            got=f"{values:,} values",
            expected=f"{MAX_VALUES:,} or fewer",
            hint="window= with a length that shows what the label needs, or a smaller max_cases=",
        )

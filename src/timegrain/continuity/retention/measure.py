"""`label_retention`: what a stride costs a label."""

from collections.abc import Callable, Sequence

from timegrain.continuity.retention.cases import Cases, Length, make_cases
from timegrain.continuity.retention.draw import capped
from timegrain.continuity.retention.magnitude import evened
from timegrain.continuity.retention.measurement import Measurement
from timegrain.continuity.retention.options import Decimator, Phase, RetentionOptions
from timegrain.continuity.retention.result import LabelRetention, RetentionRow
from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset
from timegrain.data.split import folds
from timegrain.stats.scores.metric import metric_of

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
    phase: Phase = "first",
    n_folds: int = 5,
    repeats: int = 3,
    replicates: int = 999,
    seed: int = 0,
    max_cases: int = 2000,
    on_stride: Callable[[RetentionRow], None] | None = None,
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
        phase: `"first"` keeps the first sample of a case, or the last where its label belongs to
            that: what a recording at a lower rate shows, again and again. `"drawn"` begins each
            case at one of its first `k` samples, drawn anew for every repeat and stride: what a
            training on every k-th sample sees.
        n_folds: Folds of a repeat.
        repeats: Rounds of folds; the score is their mean.
        replicates: Of the bootstrap.
        seed: Of the kernels, the folds, the bootstrap and the draw of cases.
        max_cases: With more cases, so many are drawn, in proportion from groups and classes, and
            one at least of every class where there are fewer classes than that.
        on_stride: Called with the row of each stride, 1 first, when it is measured.

    Raises:
        ConfigError: If an option is outside its domain.
        DataError: If there is no label, it does not vary, or there are too few cases.
        UnknownNameError: If there is no such metric for the target.

    Math:
        `R(k) = skill(k) / skill(1)`, `skill = (m - m_trivial) / (m_perfect - m_trivial)`, not
        clipped; trivial is the commonest class, or the mean. The interval draws groups, recordings,
        stretches of time or cases, whatever the split keeps whole, for both strides alike. For
        classes its lower end is at least as far down as the exact binomial bound on the share of
        answers that are right with all samples and wrong at the stride: draws of a few cases that
        are all right are all alike.
        `CANNOT_TELL` if `skill(1) < .1` or its interval reaches 0.

    Note:
        Channels and features are scaled with all cases, which uses no label. Where a source
        publishes a training and a test part, the folds are of both together.

    Source:
        Dempster, Petitjean, Webb, ROCKET (Data Mining and Knowledge Discovery 2020); Golub, Heath,
        Wahba (Technometrics 1979).

    Example:
        >>> import numpy as np
        >>> random = np.random.default_rng(0)
        >>> wave = lambda f: np.sin(f * np.arange(60.0) + random.uniform(0, 6))[:, None]
        >>> x = tuple(wave(0.2 + 0.2 * (i % 2)) for i in range(160))
        >>> y = np.arange(160) % 2
        >>> data = Dataset(name="waves", sequences=x, labels=y, class_names=("slow", "fast"))
        >>> label_retention(data, strides=[2], replicates=99).coarsest
        2
    """
    options = RetentionOptions(
        strides=strides,
        decimator=decimator,
        phase=phase,
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
    return Measurement(evened(made), chosen, rounds, options).result(on_stride)


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

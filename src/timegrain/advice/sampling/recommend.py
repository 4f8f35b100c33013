"""`advise`: the lowest rate that keeps a label."""

from collections.abc import Callable, Sequence

from timegrain.advice.sampling.result import Advice
from timegrain.advice.sampling.sampler import Sampler
from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset
from timegrain.data.duration import to_samples

Length = int | str | None
DEFAULT_WINDOWS = (64, 256, 1024)


def advise(
    data: Dataset,
    *,
    windows: Sequence[Length] | None = None,
    hop: Length = None,
    ahead: Length = None,
    target: str | None = None,
    strides: Sequence[int] = (2, 4, 8, 16, 32, 64),
    metric: str | None = None,
    n_folds: int = 5,
    repeats: int = 3,
    seed: int = 0,
    max_cases: int = 1000,
    label: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> Advice:
    """Return the lowest sampling rate at which a label is still predicted, with its evidence.

    Every window and stride is scored by cross-validation with a probe that is fitted anew, whole
    groups apart. What thinning keeps and, in the chosen window, what is kept behind the filter that
    a slower converter needs both have to stay. Without labels, or without skill, nothing is advised
    and the advice says so.

    Args:
        data: Sequences with a label each; or recordings with a target a sample, or to forecast.
        windows: Lengths to try, in samples or as times such as `"2s"`. None: whole sequences where
            each has a label, else 64, 256 and 1,024 samples, as far as recordings are four times
            as long.
        hop: From the start of one window to the next. None: no overlap; for forecasts an odd number
            of samples that gives up to eight times `max_cases` windows, since windows of a day end
            at one hour of the day.
        ahead: Forecast so far ahead of a window's last sample.
        target: The channel to forecast, where there are several.
        strides: Whole numbers >= 2.
        metric: As for `label_retention`.
        n_folds: Folds of a repeat.
        repeats: Rounds of folds.
        seed: Of every draw.
        max_cases: With more cases, so many are drawn.
        label: What the label is called, where it is no channel.
        progress: Called with what is being measured.

    Raises:
        ConfigError: If an option is outside its domain.
        DataError: If no window gives enough cases.

    Example:
        >>> from timegrain.data import load_dataset
        >>> advice = advise(load_dataset("ItalyPowerDemand"), strides=(2, 4), repeats=1)
        >>> advice.metric, advice.n_cases
        ('accuracy', 1000)
    """
    if not isinstance(data, Dataset):
        raise DataError(
            "advise() reads a loaded dataset",
            got=type(data).__name__,
            expected="a Dataset, as load_dataset() returns",
        )
    sampler = Sampler(
        data=data,
        fixed={
            "hop": _forecast_hop(data, max_cases) if hop is None and ahead is not None else hop,
            "ahead": ahead,
            "target": target,
            "metric": metric,
            "n_folds": n_folds,
            "repeats": repeats,
            "seed": seed,
            "max_cases": max_cases,
        },
        strides=tuple(strides),
        label=label if target is None else target,
        progress=progress or (lambda _: None),
    )
    if data.labels is None and data.targets is None and ahead is None:
        return sampler.unlabelled()
    return sampler.advice(_lengths(data, windows, ahead))


def _forecast_hop(data: Dataset, max_cases: int) -> int:
    return max(1, int(data.lengths.sum()) // (8 * max_cases)) | 1


def _lengths(data: Dataset, windows: Sequence[Length] | None, ahead: Length) -> list[int | None]:
    if windows is None:
        if data.labels is not None and ahead is None:
            return [None]
        shortest = int(data.lengths.min())
        return [w for w in DEFAULT_WINDOWS if 4 * w <= shortest] or [max(2, shortest // 4)]
    found = [
        None if w is None else to_samples(w, data.dt, data.unit, word="window", least=2)
        for w in windows
    ]
    return sorted(set(found), key=lambda w: float("inf") if w is None else w)

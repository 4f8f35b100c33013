"""`advise`: the lowest rate that keeps a label."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from timegrain.advice.sampling.choice import KEEP, choose_window, coarsest
from timegrain.advice.sampling.limiting import Limiting, limiting_channel
from timegrain.advice.sampling.result import Advice, SweepRow
from timegrain.advice.sampling.saving import cost_share
from timegrain.advice.sampling.sweep import thinned_rows, with_filtered
from timegrain.advice.sampling.unknown import unknown
from timegrain.continuity.dataset import dataset_continuity
from timegrain.continuity.retention.measure import label_retention
from timegrain.continuity.retention.result import LabelRetention
from timegrain.continuity.task.result import TaskContinuity
from timegrain.core.errors import DataError
from timegrain.core.outcome import Outcome
from timegrain.core.provenance import Provenance
from timegrain.data.dataset import Dataset
from timegrain.data.duration import to_samples

Length = int | str | None
DEFAULT_WINDOWS = (64, 256, 1024)
CHOICE_NOTE = (
    "the window is the shortest whose skill at the recorded rate is at least .95 of that of the "
    "best; a stride is advised if the 95 % interval of its retention lies above .95, there and at "
    "all smaller strides, thinned as it is and, where that could be measured, behind a filter"
)


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
        hop: From the start of one window to the next; None for no overlap.
        ahead: Forecast so far ahead of a window's last sample.
        target: The channel to forecast, where there are several.
        strides: Whole numbers >= 2.
        metric: As for `label_retention`.
        n_folds: Folds of a repeat.
        repeats: Rounds of folds.
        seed: Of every draw.
        max_cases: With more cases, so many are drawn.
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
    sampler = _Sampler(
        data=data,
        fixed={
            "hop": hop,
            "ahead": ahead,
            "target": target,
            "metric": metric,
            "n_folds": n_folds,
            "repeats": repeats,
            "seed": seed,
            "max_cases": max_cases,
        },
        strides=tuple(strides),
        progress=progress or (lambda _: None),
    )
    if data.labels is None and data.targets is None and ahead is None:
        return sampler.unlabelled()
    return sampler.advice(_lengths(data, windows, ahead))


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


@dataclass(frozen=True, kw_only=True)
class _Sampler:
    """One advice under way."""

    data: Dataset
    fixed: dict[str, object]
    strides: tuple[int, ...]
    progress: Callable[[str], None]

    def retention(
        self, window: int | None, decimator: str = "phase", **other: object
    ) -> LabelRetention:
        """Return the retention in a window."""
        options = {"data": self.data, "strides": self.strides, **self.fixed, **other}
        data = options.pop("data")
        return label_retention(data, window=window, decimator=decimator, **options)  # type: ignore[arg-type]

    def unlabelled(self) -> Advice:
        """Return what can be said without a label: what the curve is, and no advice."""
        curve = self.curve(None)
        why = "there is no label, and only a label says what may be lost; a horizon permits nothing"
        return self._record(None, (), None, curve, None, why)

    def advice(self, windows: Sequence[int | None]) -> Advice:
        """Measure the sweep and choose."""
        found: dict[int | None, LabelRetention] = {}
        errors: list[DataError] = []
        for window in windows:
            self.progress(f"label over strides, {_named(window)}")
            try:
                found[window] = self.retention(window)
            except DataError as error:
                errors.append(error)
        if not found:
            raise errors[0]
        sweep = [row for r in found.values() for row in thinned_rows(r)]
        window = choose_window(sweep)
        chosen = found[window]
        self.progress("continuity of the curves")
        curve = self.curve(window)
        if chosen.outcome is Outcome.CANNOT_TELL:
            return self._record(chosen, sweep, None, curve, None, chosen.reasons["retention"])
        self.progress(f"the same behind a filter, {_named(window)}")
        sweep = with_filtered(sweep, self._filtered(window))
        stride = coarsest(sweep, window)
        return self._record(chosen, sweep, stride, curve, self._limiting(chosen, sweep, stride), "")

    def curve(self, window: int | None) -> TaskContinuity:
        """Return the continuity of the data, in the chosen window."""
        return dataset_continuity(
            self.data, strides=self.strides, window=window if window and window >= 3 else None
        )

    def _filtered(self, window: int | None) -> LabelRetention | str:
        if self.data.kind == "tokens":
            return "symbols cannot be filtered"
        if self.data.times is not None:
            return "samples at irregular times cannot be filtered; common_hz= puts them on a grid"
        return self.retention(window, "fir")

    def _limiting(
        self, chosen: LabelRetention, sweep: Sequence[SweepRow], stride: int
    ) -> Limiting | None:
        coarser = [r.stride for r in sweep if r.window == chosen.window and r.stride > stride]
        if not coarser:
            return None

        def measure(data: Dataset) -> LabelRetention:
            self.progress("channels one by one")
            return self.retention(chosen.window, data=data, strides=(2,), replicates=99)

        return limiting_channel(self.data, measure, chosen, min(coarser))

    def _record(
        self,
        chosen: LabelRetention | None,
        sweep: Sequence[SweepRow],
        stride: int | None,
        curve: TaskContinuity,
        limiting: Limiting | None,
        why: str,
    ) -> Advice:
        window = None if chosen is None else chosen.window
        own = [r for r in sweep if r.window == window]
        n_groups = 0 if chosen is None else chosen.n_groups
        first = None if chosen is None else chosen.at(1)
        advice = Advice(
            name=self.data.name,
            outcome=Outcome.CANNOT_TELL if stride is None else Outcome.MEASURED,
            provenance=Provenance.collect(
                seed=int(str(self.fixed["seed"])),
                parameters={**self.fixed, "strides": self.strides},
            ),
            reasons={"stride": why} if why else {},
            notes=_notes(self.data, chosen),
            target=None if self.fixed["target"] is None else str(self.fixed["target"]),
            target_kind=None if chosen is None else chosen.target_kind,
            metric=None if chosen is None else chosen.metric,
            trivial_score=None if chosen is None else chosen.trivial_score,
            split=None if chosen is None else chosen.split,
            n_cases=0 if chosen is None else chosen.n_cases,
            n_groups=n_groups,
            dt=self.data.dt,
            unit=self.data.unit,
            limit=KEEP,
            sweep=tuple(sweep),
            window=window,
            stride=stride,
            score=None if chosen is None else chosen.score,
            interval=None
            if first is None or first.low is None or first.high is None
            else (first.low, first.high),
            limiting_channel=None if limiting is None else limiting.channel,
            limiting_loss=None if limiting is None else limiting.loss,
            worst_channel=curve.worst_channel if len(curve.channels) > 1 else None,
            noise_share=curve.nugget,
            horizon=curve.horizon,
            horizon_open=curve.horizon_open,
            event_error=curve.event_error,
            cost_share=None if stride is None else cost_share(self.strides, stride),
            unknown=unknown(own, stride=stride, n_groups=n_groups, curve=curve),
        )
        return replace(advice, reasons={**advice.reasons, **_why_null(advice, curve)})


def _notes(data: Dataset, chosen: LabelRetention | None) -> tuple[str, ...]:
    if chosen is None:
        return data.notes
    return (*chosen.notes, CHOICE_NOTE)


def _why_null(advice: Advice, curve: TaskContinuity) -> dict[str, str]:
    reasons = {}
    if advice.noise_share is None:
        reasons["noise_share"] = curve.reasons.get("nugget", curve.outcome.message)
    if advice.event_error is None:
        reasons["event_error"] = curve.reasons.get("event_error", curve.outcome.message)
    if advice.limiting_channel is None:
        reasons["limiting_channel"] = "one channel, or none whose thinning alone costs the label"
    return reasons


def _named(window: int | None) -> str:
    return "whole sequences" if window is None else f"windows of {window} samples"

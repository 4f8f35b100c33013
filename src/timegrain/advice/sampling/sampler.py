"""The measurements behind an advice, and the record made of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from timegrain.advice.sampling.choice import KEEP, choose_window, coarsest
from timegrain.advice.sampling.limiting import MAX_CHANNELS, Limiting, limiting_channel
from timegrain.advice.sampling.persistence import persistence
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
from timegrain.core.table import number
from timegrain.data.dataset import Dataset
from timegrain.data.windows import make_windows

CHOICE_NOTE = (
    "the window is the shortest whose best skill, thinned to any stride, is at least .95 of that "
    "of the best window; a stride is advised if the 95 % interval of its retention lies above .95, "
    "there and at all smaller strides, thinned as it is and, where that could be measured, behind "
    "a filter"
)


@dataclass(frozen=True, kw_only=True)
class Sampler:
    """One advice under way.

    Args:
        data: What is read.
        fixed: Options of `label_retention` that stay the same.
        strides: Whole numbers >= 2.
        label: What the label is called.
        progress: Called with what is being measured.
    """

    data: Dataset
    fixed: dict[str, object]
    strides: tuple[int, ...]
    label: str | None
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
        errors: dict[int | None, DataError] = {}
        for window in windows:
            self.progress(f"label over strides, {_named(window)}")
            try:
                found[window] = self.retention(window)
            except DataError as error:
                errors[window] = error
        if not found:
            raise next(iter(errors.values()))
        lost = tuple(f"anything in {_named(w)}: {e}" for w, e in errors.items())
        sweep = [row for r in found.values() for row in thinned_rows(r)]
        window = choose_window(sweep)
        chosen = found[window]
        self.progress("continuity of the curves")
        curve = self.curve(window)
        if chosen.outcome is Outcome.CANNOT_TELL:
            return self._record(chosen, sweep, None, curve, None, chosen.reasons["retention"], lost)
        self.progress(f"the same behind a filter, {_named(window)}")
        sweep = with_filtered(sweep, self._filtered(window))
        stride = coarsest(sweep, window)
        limiting = self._limiting(chosen, sweep, stride)
        return self._record(chosen, sweep, stride, curve, limiting, "", lost)

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
        if not coarser or self.data.n_channels == 1:
            return None
        at_end = chosen.window is not None and (
            chosen.ahead is not None or self.data.targets is not None
        )
        data, once = self.data, dict[str, Any](strides=(2,), replicates=99)
        if at_end:
            # labels are of the untouched data, and no sample behind a window helps to redraw it
            data = make_windows(
                data,
                window=chosen.window or 2,
                hop=chosen.hop,
                ahead=chosen.ahead,
                target=None if self.fixed["target"] is None else str(self.fixed["target"]),
            )
            once |= {"hop": None, "ahead": None, "target": None}

        def measure(changed: Dataset, channel: str) -> LabelRetention:
            if channel:
                self.progress(f"channel {channel} alone at stride {min(coarser)}")
            window = None if at_end else chosen.window
            return self.retention(window, data=changed, **once)

        return limiting_channel(data, measure, min(coarser), at_end=at_end)

    def _persistence(self, chosen: LabelRetention | None) -> tuple[str, ...]:
        """Return what the last value scores as a forecast, which is no trivial answer."""
        if chosen is None or chosen.ahead is None or self.data.kind == "tokens":
            return ()
        score = persistence(
            self.data,
            window=chosen.window or 1,
            hop=chosen.hop,
            ahead=chosen.ahead,
            target=None if self.fixed["target"] is None else str(self.fixed["target"]),
            metric=chosen.metric,
        )
        if score is None:
            return ()
        return (
            f"the last value as the forecast has {chosen.metric} {number(score)}; a forecaster has "
            "to beat that too, and the value of a season ago where there is a season",
        )

    def _record(
        self,
        chosen: LabelRetention | None,
        sweep: Sequence[SweepRow],
        stride: int | None,
        curve: TaskContinuity,
        limiting: Limiting | None,
        why: str,
        lost: tuple[str, ...] = (),
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
                parameters={**self.fixed, **self.data.versioned, "strides": self.strides},
            ),
            reasons={"stride": why} if why else {},
            notes=(*_notes(self.data, chosen), *self._persistence(chosen)),
            target=self.label,
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
            advised_dt=None if stride is None else stride * self.data.dt,
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
            unknown=(*unknown(own, stride=stride, n_groups=n_groups, curve=curve), *lost),
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
        reasons["limiting_channel"] = _why_no_channel(advice, curve)
    return reasons


def _named(window: int | None) -> str:
    return "whole sequences" if window is None else f"windows of {window} samples"


def _why_no_channel(advice: Advice, curve: TaskContinuity) -> str:
    if len(curve.channels) == 1:
        return "there is one"
    if advice.stride is None or advice.next_stride is None:
        return "no coarser stride to thin one to"
    if len(curve.channels) > MAX_CHANNELS:
        return f"they were not thinned one by one, being more than {MAX_CHANNELS}"
    return "none of them, thinned alone to the next stride, costs a hundredth of the skill"

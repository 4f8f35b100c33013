"""The result of `task_continuity` and the rows it is made of."""

from dataclasses import dataclass
from typing import ClassVar

from timegrain.core.citing import Style
from timegrain.core.outcome import Outcome
from timegrain.core.references import PAPER
from timegrain.core.result import Result
from timegrain.data.audit.result import TimestampAudit


@dataclass(frozen=True, kw_only=True)
class ProfileRow:
    """D at one stride.

    Args:
        channel: Name of the channel; None for the mean over channels.
        stride: Every `stride`-th sample is kept.
        dt: Step between kept samples.
        discontinuity: D; None for a channel that does not vary.
        low: Lower end of its 95 % interval; None when there is none.
        high: Upper end.
    """

    channel: str | None
    stride: int
    dt: float
    discontinuity: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class ChannelContinuity:
    """One channel's own numbers.

    Args:
        name: Name of the channel, else its index.
        outcome: How its measurement ended.
        continuity: `1 - D(2)`; None if it does not vary.
        exponent: `q` of the refinement law.
        nugget: `nu`, the noise share; a fast tone counts as noise.
        horizon: Largest stride that passes, in samples; 1 if none does.
        horizon_open: Every listed stride passes.
        event_error: 99th percentile of `|e|` over the range, at the dataset's horizon.
        reason: Why a value is None; empty when none is.
    """

    name: str
    outcome: Outcome
    continuity: float | None
    exponent: float | None
    nugget: float | None
    horizon: int
    horizon_open: bool
    event_error: float | None
    reason: str = ""


@dataclass(frozen=True, kw_only=True, repr=False)
class TaskContinuity(Result):
    """How continuous a dataset is: what every k-th sample, interpolated, misses of the others.

    D is 0 for data on lines between the kept samples, 1 for shuffled data and above 1 for data
    that alternate; it measures roughness against the variation within a piece, so compare datasets
    at one `window`. It says nothing about what a label needs.

    Args:
        kind_of_data: `"real"` or `"tokens"`.
        dt: Step, in `unit`; the mean step where times were given.
        unit: Time unit.
        window: Samples a piece; None for whole sequences.
        detrend: `"linear"` if variation is about each piece's line.
        tolerance: How far D may be above the noise share within the horizon.
        n_sequences: Sequences given.
        n_pieces: Pieces measured.
        n_samples: Samples in them (instants, whatever the number of channels).
        n_dropped: Remainders and sequences too short to use.
        n_skipped: Triples left out because they touch a missing value, over all strides.
        n_triples: Triples of a redrawn sample and its two kept neighbours, those left out included,
            over all strides and channels; None in results of earlier versions.
        n_missing: Missing (NaN) values in the pieces, over all channels.
        n_groups: Sequences, pieces or blocks the interval is made from.
        group: Which of the three they are: `"sequence"`, `"piece"` or `"block"`.
        profile: D at each stride: the mean over channels first, then each channel.
        continuity: `1 - D(2)` of the mean.
        interval: 95 % interval of `continuity`.
        exponent: `q` of the mean profile: 4 with two derivatives, 1 Brownian, towards 0 noise.
        nugget: `nu` of the mean profile: the share of the variance that is noise, quantisation, or
            content too fast for the samples to show.
        horizon: Horizon of the worst channel, in samples.
        horizon_open: Every listed stride passes: the horizon is at least this.
        horizon_time: `horizon * dt`.
        redrawn_error: Mean square error of the samples redrawn at the horizon, as a share of the
            variance, in the worst channel: D there times the mean of `1 + (1-w)^2 + w^2`.
        worst_channel: The channel that sets the horizon.
        intermittency: 0 for Gaussian residuals, near 1 for jumps.
        event_error: Largest over channels of the 99th percentile of `|e|` over the range, at the
            horizon.
        channels: Each channel's own numbers.
        audits: What was found in the timestamps of each recording; empty where there were none.
        autocorrelation: Of neighbouring samples: 0 for shuffled data, 1 for smooth ones.
        spectral_edge: Frequency below which 95 % of the power lies: in Hz where `unit` is a known
            unit of time, else in cycles per `unit`.
        spectral_entropy: Of the power over frequency: 0 for one tone, 1 for white noise.
    """

    kind: ClassVar[str] = "task-continuity"
    schema_version: ClassVar[int] = 2

    kind_of_data: str
    dt: float
    unit: str
    window: int | None
    detrend: str | None
    tolerance: float
    n_sequences: int
    n_pieces: int
    n_samples: int
    n_dropped: int
    n_skipped: int
    n_missing: int
    n_groups: int
    group: str
    profile: tuple[ProfileRow, ...]
    continuity: float | None
    interval: tuple[float, float] | None
    exponent: float | None
    nugget: float | None
    horizon: int
    horizon_open: bool
    horizon_time: float
    worst_channel: str | None
    intermittency: float | None
    event_error: float | None
    channels: tuple[ChannelContinuity, ...]
    redrawn_error: float | None = None
    n_triples: int | None = None
    audits: tuple[TimestampAudit, ...] = ()
    autocorrelation: float | None = None
    spectral_edge: float | None = None
    spectral_entropy: float | None = None

    @property
    def discontinuity(self) -> dict[int, float]:
        """D of the mean over channels by stride; empty if nothing varies."""
        return {
            row.stride: row.discontinuity
            for row in self.profile
            if row.channel is None and row.discontinuity is not None
        }

    def rows(self) -> list[dict[str, object]]:
        """Return the profile as a tidy table: one row a channel and stride."""
        return [
            {
                "name": self.name,
                "channel": row.channel,
                "stride": row.stride,
                "dt": row.dt,
                "discontinuity": row.discontinuity,
                "low": row.low,
                "high": row.high,
            }
            for row in self.profile
        ]

    def summary_lines(self) -> list[tuple[str, str]]:
        """Return the lines people read."""
        from timegrain.continuity.task.summary import summary_lines

        return summary_lines(self)

    def sources(self) -> tuple[str, ...]:
        """Return the keys of the paper and of the profile's ancestor."""
        return (PAPER, "vonneumann1941distribution")

    def cite(self, style: Style = "text") -> str:
        """Return what to cite: this package, the paper, and the ancestor of the profile."""
        text = super().cite(style)
        if style != "text":
            return text
        return (
            f"{text}\nThe discontinuity profile D(k), its refinement law and its horizon are "
            "defined in timegrain's documentation; they are not taken from these papers."
        )

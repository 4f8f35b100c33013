"""Each channel's own law and horizon, and the worst of them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from timegrain.continuity.task.event_error import event_error
from timegrain.continuity.task.growth import Growth
from timegrain.continuity.task.horizon import horizon
from timegrain.continuity.task.profile import Profile
from timegrain.continuity.task.refinement_law import RefinementLaw, fit_refinement_law
from timegrain.continuity.task.result import ChannelContinuity
from timegrain.continuity.task.series import Series
from timegrain.core.outcome import Outcome
from timegrain.kernels.discontinuity.pieces import Pieces
from timegrain.kernels.discontinuity.sums import ProfileSums


def measure_channels(
    names: Sequence[str], profile: Profile, growth: Growth, *, tol: float
) -> tuple[ChannelContinuity, ...]:
    """Return every channel's numbers, without the event error.

    Args:
        names: One a channel.
        profile: The profile of all channels.
        growth: `g_q(k) / g_q(2)` at the profile's strides.
        tol: The horizon's tolerance.
    """
    return tuple(_channel(name, i, profile, growth, tol) for i, name in enumerate(names))


def pooled_law(profile: Profile, growth: Growth) -> RefinementLaw:
    """Return the law of the mean over channels; `CONSTANT` if none varies."""
    if not profile.varying.any():
        return RefinementLaw(outcome=Outcome.CONSTANT, reason=Outcome.CONSTANT.message)
    return fit_refinement_law(
        profile.pooled,
        growth,
        error=profile.pooled_error,
        difference_error=profile.pooled_difference,
        floor=float(profile.floor[profile.varying].mean()),
    )


def worst_channel(
    channels: Sequence[ChannelContinuity],
) -> ChannelContinuity | None:
    """Return the channel with the smallest horizon, ties by the largest D(2); None if all rest."""
    moving = [c for c in channels if c.outcome is not Outcome.CONSTANT]
    return min(moving, key=lambda c: (c.horizon, _known(c.continuity)), default=None)


def with_event_errors(
    channels: Sequence[ChannelContinuity],
    series: Series,
    pieces: Pieces,
    sums: ProfileSums,
    *,
    stride: int,
) -> tuple[ChannelContinuity, ...]:
    """Return the channels with their 99th percentile of `|e|` over the range at one stride.

    Args:
        channels: From `measure_channels`.
        series: Real samples.
        pieces: Where the pieces lie.
        sums: For the ranges.
        stride: The dataset's horizon, at least 2.
    """
    spans = (sums.high - sums.low).tolist()
    return tuple(
        c
        if c.outcome is Outcome.CONSTANT
        else replace(
            c,
            event_error=event_error(series.values, pieces, stride=stride, channel=i, span=spans[i]),
        )
        for i, c in enumerate(channels)
    )


def _channel(name: str, i: int, profile: Profile, growth: Growth, tol: float) -> ChannelContinuity:
    d = profile.each[i]
    if not profile.varying[i]:
        return _silent(name, Outcome.CONSTANT, "the channel does not vary")
    if np.isnan(d[0]):
        text = "no three neighbouring samples are all present"
        return _silent(name, Outcome.TOO_FEW_LEVELS, text)
    law = fit_refinement_law(
        d,
        growth,
        error=profile.error[i],
        difference_error=profile.difference[i],
        floor=float(profile.floor[i]),
    )
    last, is_open = horizon(d, profile.strides, nugget=law.nugget, tol=tol)
    return ChannelContinuity(
        name=name,
        outcome=law.outcome,
        continuity=1 - float(d[0]),
        exponent=law.exponent,
        nugget=law.nugget,
        horizon=last,
        horizon_open=is_open,
        event_error=None,
        reason=law.reason,
    )


def _silent(name: str, outcome: Outcome, reason: str) -> ChannelContinuity:
    return ChannelContinuity(
        name=name,
        outcome=outcome,
        continuity=None,
        exponent=None,
        nugget=None,
        horizon=1,
        horizon_open=False,
        event_error=None,
        reason=reason,
    )


def _known(continuity: float | None) -> float:
    return -np.inf if continuity is None else continuity

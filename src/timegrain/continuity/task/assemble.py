"""The numbers of a profile put together into a `TaskContinuity`, with a reason for each null."""

from collections.abc import Iterator

import numpy as np

from timegrain.continuity.task.channels import (
    measure_channels,
    pooled_law,
    with_event_errors,
    worst_channel,
)
from timegrain.continuity.task.cut import Cut
from timegrain.continuity.task.familiar.words import FamiliarWords
from timegrain.continuity.task.growth import Growth, irregular_growth, uniform_growth
from timegrain.continuity.task.intermittency import intermittency
from timegrain.continuity.task.options import TaskOptions
from timegrain.continuity.task.profile import Profile
from timegrain.continuity.task.redrawn import mean_weight
from timegrain.continuity.task.refinement_law import RefinementLaw
from timegrain.continuity.task.result import ChannelContinuity, ProfileRow, TaskContinuity
from timegrain.continuity.task.series import Series
from timegrain.core.outcome import Outcome
from timegrain.core.provenance import Provenance
from timegrain.core.table import number
from timegrain.kernels.discontinuity.sums import ProfileSums


def assemble(
    series: Series,
    pieces: Cut,
    sums: ProfileSums,
    profile: Profile,
    options: TaskOptions,
    provenance: Provenance,
    familiar: FamiliarWords,
) -> TaskContinuity:
    """Return the result of a measurement.

    Args:
        series: The data.
        pieces: How they were cut.
        sums: The kernel's sums.
        profile: Made from them.
        options: Of the measurement, with the mean step where times were given.
        provenance: Of the result.
        familiar: Autocorrelation and spectrum.
    """
    growth = _growth(profile, pieces, series)
    law = pooled_law(profile, growth)
    channels = measure_channels(series.channel_names, profile, growth, tol=options.tol)
    worst = worst_channel(channels)
    horizon = worst.horizon if worst else 1
    if series.kind == "real" and horizon > 1 and len(series.values):
        channels = with_event_errors(channels, series, pieces.pieces, sums, stride=horizon)
    spread = _intermittency(series, sums, profile)
    errors = [c.event_error for c in channels if c.event_error is not None]
    continuity = None if worst is None else 1 - float(profile.pooled[0])
    values: dict[str, object] = {
        "continuity": continuity,
        "interval": _interval(profile),
        "exponent": law.exponent,
        "nugget": law.nugget,
        "worst_channel": worst.name if worst else None,
        "intermittency": spread,
        "event_error": max(errors, default=None),
        "redrawn_error": _redrawn_error(series, pieces, profile, worst),
    }
    return TaskContinuity(
        name=options.name,
        outcome=law.outcome,
        provenance=provenance,
        reasons=_reasons(values, law, series, horizon) | familiar.reasons,
        notes=(*series.notes, *_notes(channels, options, profile, pieces, horizon)),
        kind_of_data=series.kind,
        dt=options.dt,
        unit=options.unit,
        window=options.window,
        detrend=options.detrend,
        tolerance=options.tol,
        n_sequences=len(series.lengths),
        n_pieces=len(pieces.pieces),
        n_samples=pieces.n_samples,
        n_dropped=pieces.n_dropped,
        n_skipped=int(sums.skipped.sum()),
        n_triples=int(sums.triples.sum() + sums.skipped.sum()),
        n_missing=int(sums.missing.sum()),
        n_groups=int(profile.intervals.cases[0]),
        group=pieces.unit,
        profile=tuple(_rows(profile, series.channel_names, options.dt)),
        horizon=horizon,
        horizon_open=bool(worst and worst.horizon_open),
        horizon_time=horizon * options.dt,
        channels=channels,
        autocorrelation=familiar.autocorrelation,
        spectral_edge=familiar.spectral_edge,
        spectral_entropy=familiar.spectral_entropy,
        **values,  # type: ignore[arg-type]
    )


def _growth(profile: Profile, pieces: Cut, series: Series) -> Growth:
    if series.times.size:
        return irregular_growth(profile.strides, pieces.pieces)
    return uniform_growth(profile.strides)


def _intermittency(series: Series, sums: ProfileSums, profile: Profile) -> float | None:
    if series.kind == "tokens":
        return None
    above_rounding = np.nan_to_num(profile.each[:, 0]) > profile.floor
    return intermittency(sums, profile.varying & above_rounding)


def _redrawn_error(
    series: Series, pieces: Cut, profile: Profile, worst: ChannelContinuity | None
) -> float | None:
    if series.kind == "tokens" or worst is None or worst.horizon == 1:
        return None
    d = profile.at(series.channel_names.index(worst.name), worst.horizon)
    return d * mean_weight(worst.horizon, pieces.pieces)


def _interval(profile: Profile) -> tuple[float, float] | None:
    """Turn the ends of D(2) into those of `1 - D(2)`."""
    low, high = profile.intervals.pooled_low[0], profile.intervals.pooled_high[0]
    return None if np.isnan(low) else (1 - float(high), 1 - float(low))


def _rows(profile: Profile, names: tuple[str, ...], dt: float) -> Iterator[ProfileRow]:
    ends = profile.intervals
    pooled = (profile.pooled, ends.pooled_low, ends.pooled_high)
    yield from _channel_rows(None, profile, pooled, dt)
    position = np.cumsum(profile.varying) - 1
    nothing = np.full(len(profile.strides), np.nan)
    for i, name in enumerate(names):
        at = int(position[i])
        low, high = (ends.low[at], ends.high[at]) if profile.varying[i] else (nothing, nothing)
        yield from _channel_rows(name, profile, (profile.each[i], low, high), dt)


def _channel_rows(
    name: str | None, profile: Profile, columns: tuple[np.ndarray, ...], dt: float
) -> Iterator[ProfileRow]:
    for k, d, low, high in zip(profile.strides.tolist(), *columns, strict=True):
        yield ProfileRow(
            channel=name,
            stride=k,
            dt=k * dt,
            discontinuity=_or_none(d),
            low=_or_none(low),
            high=_or_none(high),
        )


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _reasons(
    values: dict[str, object], law: RefinementLaw, series: Series, horizon: int
) -> dict[str, str]:
    constant = law.outcome is Outcome.CONSTANT
    few = "an interval needs two sequences, pieces or blocks"
    events = "no stride passes, so there is no error at the horizon"
    spread = "no residual at stride 2 is above rounding"
    if series.kind == "tokens":
        events = spread = "symbols have no size"
    elif horizon > 1 and not len(series.values):
        events = "a percentile needs all errors at once, and samples of a stream are not kept"
    text = {"exponent": law.reason, "nugget": law.reason, "interval": few}
    text |= {"event_error": events, "redrawn_error": events, "intermittency": spread}
    return {
        field: law.reason if constant else text[field]
        for field, value in values.items()
        if value is None
    }


def _notes(
    channels: tuple[ChannelContinuity, ...],
    options: TaskOptions,
    profile: Profile,
    pieces: Cut,
    horizon: int,
) -> Iterator[str]:
    yield from _given_up(channels, profile, horizon, options.tol)
    resting = [c.name for c in channels if c.outcome is Outcome.CONSTANT]
    if resting and len(resting) < len(channels):
        yield f"left out, without variation: {_listed(resting)}"
    untold = [c.name for c in channels if c.continuity is None and c.name not in resting]
    if untold:
        yield f"left out, without three neighbouring samples: {_listed(untold)}"
    long = [str(k) for k in options.strides if k not in profile.strides]
    if long:
        room = f"longer than every piece ({pieces.longest} samples)"
        yield f"strides left out, {room}: {_listed(long)}"
    if pieces.unit == "block" and options.window is None:
        yield "one series: the interval holds for its own variance, not for another recording"


def _given_up(
    channels: tuple[ChannelContinuity, ...], profile: Profile, horizon: int, tol: float
) -> Iterator[str]:
    """Say what is lost where a horizon is there only because the nugget was subtracted."""
    if horizon == 1:
        return
    shares = {
        c.name: f"{number(100 * c.nugget, 2)} %"
        for i, c in enumerate(channels)
        if c.nugget and profile.at(i, horizon) > tol
    }
    if not shares:
        return
    part = f"{shares.get(channels[0].name)} of the variance"
    if len(channels) > 1:
        named = [f"{name} ({share})" for name, share in shares.items()]
        part = f"part of the variance of {_listed(named)}"
    yield (
        f"stride {horizon} passes only because {part} counts as noise; if that is a fast "
        "component, such as a tone, it is not redrawn and is given up at this horizon"
    )


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return ", ".join(names[:8]) + more

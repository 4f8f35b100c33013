"""How continuous a dataset is in time."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

import numpy as np

from timegrain.continuity.task.arrays import Kind
from timegrain.continuity.task.assemble import assemble
from timegrain.continuity.task.cut import Cut, cut
from timegrain.continuity.task.familiar.words import familiar_words
from timegrain.continuity.task.layout import Layout
from timegrain.continuity.task.options import TaskOptions
from timegrain.continuity.task.profile import make_profile
from timegrain.continuity.task.result import TaskContinuity as TaskContinuity
from timegrain.continuity.task.series import Series, read_series
from timegrain.continuity.task.timestamps import in_steps, mean_step
from timegrain.core.errors import DataError
from timegrain.core.provenance import Provenance
from timegrain.kernels.discontinuity.dispatch import profile_sums, token_sums
from timegrain.kernels.discontinuity.sums import ProfileSums

STRIDES = (2, 4, 8, 16, 32, 64)


def task_continuity(
    x: Any,
    *,
    dt: float = 1.0,
    layout: Layout = "btc",
    strides: Sequence[int] = STRIDES,
    kind: Kind = "real",
    window: int | None = None,
    times: Any = None,
    detrend: Literal["linear"] | None = None,
    tol: float = 0.05,
    seed: int = 0,
    replicates: int = 999,
    name: str = "array",
    channel_names: Sequence[str] | None = None,
    unit: str = "sample",
    hop: int | None = None,
) -> TaskContinuity:
    r"""Measure how continuous a dataset is in time.

    Keep every k-th sample and interpolate the others on a line: `e = x_{pk+j} - (1-w) x_{pk} -
    w x_{(p+1)k}`, `w = j / k`. Shuffled data have `E e^2 = s^2 (1 + (1-w)^2 + w^2)` exactly, `s^2`
    the unbiased variance of the sequence, so

        D(k) = sum e^2 / (s^2 sum (1 + (1-w)^2 + w^2))

    is 1 for them on average, 0 for lines and above 1 for data that alternate, whatever the units.
    `continuity = 1 - D(2)`. Sums run over sequences; channels are averaged, and the worst is named.
    The refinement law `D(k) = nu + A g_q(k) / g_q(2)` tells sensor noise `nu` from the smoothness
    `q`, and the horizon is the largest stride with `(D - nu) / (1 - nu) <= tol` in every channel.

    D compares roughness with the variation inside a piece: Brownian motion has continuity .94 at
    length 32 and .9995 at 4,096. Compare datasets at one `window`.

    Args:
        x: Numbers in an array or tensor, or a list of `(time,)` or `(time, channel)` arrays. With
            the default layout one axis is one series, two are (batch, time), three are (batch,
            time, channel). NaN is missing: triples that touch it are skipped and counted. float64
            and float32 are kept, sums are float64. For a loaded dataset there is
            `dataset_continuity`, which passes on its step, unit and names.
        dt: Step between samples, in `unit`. With `times` their mean step takes its place.
        layout: `"btc" "bct" "bt" "tc" "ct" "t"`; what each axis is.
        strides: Whole numbers >= 2; 2 is measured in any case, and those longer than every piece
            are left out.
        kind: `"tokens"` for symbols: whole numbers whose size means nothing, of shape (batch,
            time). Sums are then over one-hot vectors.
        window: Samples a piece; remainders are dropped and counted. None for whole sequences.
        times: Instants of irregular samples, increasing: one array a sequence, `(batch, time)`, or
            one `(time,)` for all.
        detrend: `"linear"` takes `s^2` about the least-squares line of each piece, so that slow
            drift does not hide fast content; the residuals `e` do not see a line anyway.
        tol: How far D may be above the noise share within the horizon, on the scale where shuffled
            data have 1. `redrawn_error` is the error in shares of the variance.
        seed: Seed of the bootstrap.
        replicates: Bootstrap replicates, at least 99.
        name: What the data are called.
        channel_names: One name a channel.
        unit: Time unit of `dt` and `times`.
        hop: Samples from the start of one piece to the next; None for `window`, no overlap. Pieces
            of one series that overlap are put into spans of two windows or more for the interval.

    Returns:
        The profile and what follows from it. Intervals are 95 %: Student's t times the
        error of a bootstrap over sequences, of a jackknife below 60; for one series over its
        pieces or, uncut, over 32 stretches of it given its variance.

    Raises:
        ConfigError: If an option is outside its domain.
        DataError: If there is nothing to measure, or the values are no finite real numbers.
        GridError: If `dt` or `times` cannot be used.
        LayoutError: If the axes do not fit the layout.

    Example:
        >>> import numpy as np
        >>> t = np.arange(2000) / 100
        >>> result = task_continuity(np.sin(t), dt=0.01, unit="s")
        >>> result.horizon, result.horizon_open, result.discontinuity[2] < 1e-4
        (64, True, True)

    Source:
        The question is that of Yu, Lyu and Erichson, Continuity Laws for Sequential Models,
        arXiv:2605.08539; the definition is this package's. Its ancestor is the ratio of von
        Neumann, Distribution of the ratio of the mean square successive difference to the
        variance, Annals of Mathematical Statistics 12 (1941).
    """
    options = TaskOptions(
        dt=dt,
        strides=strides,
        detrend=detrend,
        tol=tol,
        seed=seed,
        replicates=replicates,
        window=window,
        kind=kind,
        name=name,
        unit=unit,
        hop=hop,
    )
    series = read_series(x, layout=layout, kind=kind, times=times, channel_names=channel_names)
    given = series.times.size > 0
    if given:
        options = replace(options, dt=mean_step(series.times, series.lengths.tolist()))
    clock = in_steps(series.times, options.dt) if given else series.times
    pieces = cut(series.lengths, clock, options.window, series.other, options.hop)
    sums = _sums(series, pieces, options)
    profile = make_profile(
        sums,
        rounding=series.rounding,
        blocks=pieces.unit == "block",
        seed=options.seed,
        replicates=options.replicates,
    )
    parameters = {"layout": layout, "irregular": given, **asdict(options)}
    del parameters["name"]
    provenance = Provenance.collect(seed=int(seed), parameters=parameters)
    familiar = familiar_words(
        series,
        pieces.pieces,
        sums,
        profile.varying,
        dt=options.dt,
        unit=options.unit,
        detrend=options.detrend == "linear",
    )
    return assemble(series, pieces, sums, profile, options, provenance, familiar)


def _sums(series: Series, pieces: Cut, options: TaskOptions) -> ProfileSums:
    strides = np.array([k for k in options.strides if k < pieces.longest], dtype=np.int64)
    if series.kind == "tokens":
        return token_sums(series.values[:, 0], pieces.pieces, strides)
    sums = profile_sums(series.values, pieces.pieces, strides, detrend=options.detrend == "linear")
    check_sums(sums, series.channel_names)
    return sums


def check_sums(sums: ProfileSums, names: Sequence[str]) -> None:
    """Raise unless all values are finite, and three neighbours are present somewhere.

    Args:
        sums: Of real samples.
        names: One a channel.

    Raises:
        DataError: If they are not.
    """
    infinite = (sums.high == np.inf) | (sums.low == -np.inf)
    if infinite.any():
        raise DataError(
            "values must be finite",
            got=f"infinity in channel {names[int(np.argmax(infinite))]}",
            expected="finite numbers, NaN where one is missing",
            hint="numpy.where(numpy.isinf(x), numpy.nan, x)",
        )
    _check_ranges(sums, names)
    if not sums.triples[:, 0].any():
        raise DataError(
            "no three neighbouring samples are all present",
            got=f"{int(sums.missing.sum())} missing values",
            expected="some triple x[2p], x[2p+1], x[2p+2] without NaN",
        )


def _check_ranges(sums: ProfileSums, names: Sequence[str]) -> None:
    seen = np.flatnonzero(sums.low <= sums.high)
    with np.errstate(over="ignore"):
        wide = seen[np.isinf(sums.high[seen] - sums.low[seen])]
    if wide.size:
        c = int(wide[0])
        raise DataError(
            f"the range of channel {names[c]} is more than a float64 can hold",
            got=f"{sums.low[c]:g} to {sums.high[c]:g}",
            hint="x / 2, since D does not depend on the unit",
        )

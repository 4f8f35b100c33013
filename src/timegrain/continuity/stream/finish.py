"""From the nodes of every sequence to a `TaskContinuity`."""

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Bool, Float64, Int64

from timegrain.continuity.stream.check import SETTINGS
from timegrain.continuity.stream.run import Run, closed, raw_samples
from timegrain.continuity.task.assemble import assemble
from timegrain.continuity.task.cut import N_BLOCKS, Cut, check_long_enough
from timegrain.continuity.task.familiar.words import FamiliarWords
from timegrain.continuity.task.measure import check_sums
from timegrain.continuity.task.profile import make_profile
from timegrain.continuity.task.result import TaskContinuity
from timegrain.continuity.task.series import Series
from timegrain.core.errors import DataError
from timegrain.core.provenance import Provenance
from timegrain.kernels.discontinuity.forest import sums as forest
from timegrain.kernels.discontinuity.forest.nodes import MOST_BLOCKS, Grain, blocks
from timegrain.kernels.discontinuity.pieces import Pieces
from timegrain.kernels.discontinuity.sums import ProfileSums
from timegrain.kernels.neighbours import neighbour_sums

if TYPE_CHECKING:
    from timegrain.continuity.stream.accumulator import ContinuityAccumulator

STREAMED = "samples were read once and not kept; task_continuity() of an array has it"
BLOCKS_NOTE = (
    "read as a stream: all sums are those of one array to rounding, but the interval of one series "
    "is from {n} blocks at fixed places, where the measurement in memory takes 32 equal ones or, "
    "with window=, every piece"
)


def finish(stream: "ContinuityAccumulator") -> TaskContinuity:
    """Return the measurement of what an accumulator has seen.

    Raises:
        DataError: If samples are missing or were given twice, or there is nothing to measure.
    """
    options, grain = stream.options, stream._grain()
    runs = {s: _whole(s, found) for s, found in sorted(stream.runs.items()) if found}
    if not runs:
        raise DataError("no samples were given", expected="update() with at least one chunk")
    lengths = np.array([run.stop for run in runs.values()], dtype=np.int64)
    need = check_long_enough(lengths, options.window, None)
    names = stream.channel_names or tuple(str(i) for i in range(grain.channels))
    longest = options.window or int(lengths.max())
    strides = np.array([k for k in options.strides if k < longest], dtype=np.int64)
    sums, unit, beside = _sums(runs, stream.words, grain, strides, need)
    series = Series(
        values=np.empty((0, grain.channels)),
        lengths=lengths,
        times=np.empty(0),
        channel_names=names,
        kind=options.kind,
    )
    if options.kind == "real":
        check_sums(sums, names)
    profile = make_profile(
        sums,
        rounding=stream.rounding,
        blocks=unit == "block",
        seed=options.seed,
        replicates=options.replicates,
    )
    parameters = {"streamed": True, **{name: getattr(options, name) for name in SETTINGS}}
    del parameters["name"]
    provenance = Provenance.collect(seed=options.seed, parameters=parameters)
    pieces = _cut(lengths, options.window, need, unit)
    words = _words(options.kind, profile.varying, beside)
    result = assemble(series, pieces, sums, profile, options, provenance, words)
    if unit != "block" or _still_there(runs, grain):
        return result
    return replace(result, notes=(*result.notes, BLOCKS_NOTE.format(n=result.n_groups)))


def _whole(sequence: int, runs: list[Run]) -> Run:
    """Return the one run of a sequence, which begins at 0."""
    at = 0
    for run in sorted(runs, key=lambda r: (r.start, r.stop)):
        if run.start != at:
            low, high = sorted((run.start, at))
            which = f"samples {low:,} to {high - 1:,} of sequence {sequence}"
            twice = run.start < at
            raise DataError(
                "samples were given twice" if twice else "samples are missing",
                got=f"{which} twice" if twice else f"none of {which}",
                expected="every sample from 0 once",
                hint="start= as the number of samples before the chunk"
                if twice
                else "update() or merge() with them; NaN where there are none",
            )
        at = run.stop
    return runs[0]


_Neighbours = tuple[Float64[np.ndarray, " channel"], Float64[np.ndarray, " channel"]]


def _still_there(runs: dict[int, Run], grain: Grain) -> bool:
    """Whether all of one sequence is kept: it has too few leaves for an interval."""
    only = next(iter(runs.values()))
    return len(runs) == 1 and grain.window is None and only.stop <= grain.size


def _sums(
    runs: dict[int, Run],
    words: dict[int, Counter[int]],
    grain: Grain,
    strides: Int64[np.ndarray, " stride"],
    need: int,
) -> tuple[ProfileSums, str, _Neighbours | None]:
    """Return the sums, what their groups are, and the sums over neighbours unless of tokens."""
    only = next(iter(runs.values()))
    beside = None
    if _still_there(runs, grain):
        raw = raw_samples(only)
        sums = forest.raw_sums(raw, grain, strides, N_BLOCKS)
        if not grain.tokens:
            whole = Pieces.whole([len(raw)])
            beside = neighbour_sums(raw, whole, sums.exponent, detrend=grain.detrend)
        return sums, "block", beside
    cases: list[forest.Case | None] = [
        (_nodes(run, grain), _symbols(words, s)) if run.stop >= need else None
        for s, run in runs.items()
    ]
    sums = forest.profile_sums(cases, grain, strides)
    if not grain.tokens:
        beside = forest.neighbour_sums(cases, grain, sums.exponent)
    if len(cases) > 1:
        return sums, "sequence", beside
    single_pieces = grain.window is not None and only.stop // grain.window <= MOST_BLOCKS
    return sums, "piece" if single_pieces else "block", beside


def _nodes(run: Run, grain: Grain) -> Float64[np.ndarray, "block channel column"]:
    nodes = closed(run, grain)
    if nodes is None:
        raise DataError("a sequence has no sample")
    return blocks(nodes, grain)


def _symbols(words: dict[int, Counter[int]], sequence: int) -> list[int] | None:
    return list(words[sequence].values()) if sequence in words else None


def _cut(lengths: Int64[np.ndarray, " sequence"], window: int | None, need: int, unit: str) -> Cut:
    used = lengths[lengths >= need]
    count = used // window if window else np.ones_like(used)
    samples = count * window if window else used
    # only their number is asked for where times are even
    where = np.broadcast_to(np.int64(0), (int(count.sum()),))
    return Cut(
        pieces=Pieces(
            starts=where, stops=where, groups=where, n_groups=1, n_segments=1, times=np.empty(0)
        ),
        unit=unit,
        n_dropped=int((lengths < need).sum() + (used != samples).sum()),
        n_samples=int(samples.sum()),
        longest=int(window or used.max()),
    )


def _words(
    kind: str, varying: Bool[np.ndarray, " channel"], beside: _Neighbours | None
) -> FamiliarWords:
    """Return the autocorrelation, as `familiar_words` does; a spectrum needs the samples."""
    fields = ("autocorrelation", "spectral_edge", "spectral_entropy")
    reasons = dict.fromkeys(fields, STREAMED)
    correlation = None
    if kind == "tokens":
        reasons = dict.fromkeys(fields, "symbols have no size")
    elif not varying.any():
        reasons = dict.fromkeys(fields, "no channel varies")
    elif beside is not None:
        rise, spread = beside
        used = varying & (spread > 0)
        if used.any():
            correlation = 1 - float(np.mean(rise[used] / spread[used]))
            del reasons["autocorrelation"]
        else:
            reasons["autocorrelation"] = "no two neighbouring samples are present"
    return FamiliarWords(
        autocorrelation=correlation, spectral_edge=None, spectral_entropy=None, reasons=reasons
    )

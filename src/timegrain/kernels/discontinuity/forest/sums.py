"""From the nodes of sequences to the sums of a profile."""

import numpy as np
from jaxtyping import Float64, Int64

from timegrain.kernels.discontinuity.dispatch import profile_sums as sums_of_samples
from timegrain.kernels.discontinuity.dispatch import token_sums
from timegrain.kernels.discontinuity.forest import numba_ as f
from timegrain.kernels.discontinuity.forest.neighbours.numba_ import rise_and_spread
from timegrain.kernels.discontinuity.forest.nodes import Grain, total
from timegrain.kernels.discontinuity.numba_ import _FAINT, variance
from timegrain.kernels.discontinuity.pieces import Pieces
from timegrain.kernels.discontinuity.sums import ProfileSums
from timegrain.kernels.discontinuity.version import version

Case = tuple[Float64[np.ndarray, "block channel column"], list[int] | None]
"""The blocks of a sequence, and how often each symbol occurs in it where samples are symbols."""


def raw_sums(
    samples: np.ndarray, grain: Grain, strides: Int64[np.ndarray, " stride"], segments: int
) -> ProfileSums:
    """Return the sums of one sequence that is still there as it came, in equal stretches of it.

    Args:
        samples: `(time, channel)`, or `(time,)` tokens.
        grain: What is measured.
        strides: Shorter than the sequence.
        segments: Number of stretches.
    """
    whole = Pieces.whole([len(samples)])
    pieces = Pieces(
        starts=whole.starts,
        stops=whole.stops,
        groups=whole.groups,
        n_groups=segments,
        n_segments=segments,
        times=whole.times,
    )
    if grain.tokens:
        return token_sums(samples, pieces, strides)
    return sums_of_samples(samples, pieces, strides, detrend=grain.detrend)


def profile_sums(
    cases: list[Case | None], grain: Grain, strides: Int64[np.ndarray, " stride"]
) -> ProfileSums:
    """Return the sums of sequences; their groups are the sequences, or the blocks of a single one.

    Args:
        cases: One a sequence; None for one too short to use.
        grain: What the nodes are of.
        strides: A part of the grain's.
    """
    roots = [None if case is None else total(case[0], grain) for case in cases]
    single = len(cases) == 1 and cases[0] is not None
    groups = len(cases[0][0]) if single and cases[0] else len(cases)
    out = ProfileSums.empty(groups, grain.channels, strides)
    known = [root for root in roots if root is not None]
    out.exponent[:] = np.max([root[:, f.EXPONENT] for root in known], axis=0).astype(np.int64)
    used = np.zeros(grain.channels)
    for g, (case, root) in enumerate(zip(cases, roots, strict=True)):
        if case is None or root is None:
            continue
        parts, first = (case[0], 0) if single else (root[None], g)
        for c in range(grain.channels):
            used[c] += _add(out, root[c], parts[:, c], first, c, grain, case[1])
    out.variance[:] /= np.maximum(used, 1)
    return out


def neighbour_sums(
    cases: list[Case | None], grain: Grain, exponents: Int64[np.ndarray, " channel"]
) -> tuple[Float64[np.ndarray, " channel"], Float64[np.ndarray, " channel"]]:
    """Return the sums of squared steps and of twice the variance, as `kernels.neighbours` does.

    Args:
        cases: One a sequence; None for one too short to use.
        grain: What the nodes are of, no tokens.
        exponents: Both sums of a channel are in units of `4^exponent`.
    """
    rise, spread = np.zeros(grain.channels), np.zeros(grain.channels)
    for case in cases:
        if case is None:
            continue
        for c, row in enumerate(total(case[0], grain)):
            unit = float(np.ldexp(1.0, 2 * (int(row[f.EXPONENT]) - int(exponents[c]))))
            up, beside = row[f.RISE], row[f.BESIDE]
            if grain.window is None:
                state = row[[f.VALID, f.MEAN, f.M2, f.T_MEAN, f.TT, f.XT]]
                up, beside = rise_and_spread(
                    version(), row[f.PAIRS : f.COLUMNS], state, grain.detrend
                )
            rise[c] += up * unit
            spread[c] += beside * unit
    return rise, spread


def _add(
    out: ProfileSums,
    root: Float64[np.ndarray, " column"],
    parts: Float64[np.ndarray, "part column"],
    first: int,
    c: int,
    grain: Grain,
    symbols: list[int] | None,
) -> float:
    """Add a channel of a sequence; return how many variances it brought."""
    out.low[c], out.high[c] = min(out.low[c], root[f.LOW]), max(out.high[c], root[f.HIGH])
    out.missing[c] += int(root[f.LENGTH] - root[f.VALID])
    columns = [f.COLUMNS + 5 * i for i, k in enumerate(grain.used) if k in out.strides]
    share = _units(root, out, c)
    if grain.window is None:
        s2 = _variance(root, grain, symbols)
        if s2 < 0:
            return 0.0
        out.variance[c] += s2 * share
        if not grain.tokens and grain.used[0] == 2:
            square, count, fourth = (float(root[columns[0] + i]) for i in (0, 2, 4))
            _add_tails(out, c, square, count, fourth)
        brought, factor = 1.0, s2 * share
    else:
        out.variance[c] += root[f.SPREAD] * share
        out.fourth[c] += root[f.FOURTH]
        out.fourth_count[c] += int(root[f.FOURTHS])
        brought, factor = float(root[f.PIECES]), None
    for j, part in enumerate(parts):
        unit = _units(part, out, c)
        for i, at in enumerate(columns):
            out.numerator[first + j, c, i] += part[at] * unit
            out.denominator[first + j, c, i] += part[at + 1] * (unit if factor is None else factor)
    for i, at in enumerate(columns):
        out.triples[c, i] += int(root[at + 2])
        out.skipped[c, i] += int(root[at + 3])
    return brought


def _units(node: Float64[np.ndarray, " column"], out: ProfileSums, c: int) -> float:
    return float(np.ldexp(1.0, 2 * (int(node[f.EXPONENT]) - int(out.exponent[c]))))


def _variance(
    root: Float64[np.ndarray, " column"], grain: Grain, symbols: list[int] | None
) -> float:
    if grain.tokens:
        n, pairs = int(root[f.VALID]), sum(count * count for count in symbols or ())
        return (n * n - pairs) / (n * (n - 1)) if n >= 2 else -1.0
    state = root[[f.VALID, f.MEAN, f.M2, f.T_MEAN, f.TT, f.XT]]
    return float(variance(state, grain.detrend))


def _add_tails(out: ProfileSums, c: int, square: float, count: float, fourth: float) -> None:
    if square > _FAINT * count:
        out.fourth[c] += fourth * count * count / (square * square)
        out.fourth_count[c] += int(count)

r"""The discontinuity sums in plain numpy: the specification the compiled kernel is tested against.

Keep samples `p k` and `(p+1) k` of a piece and interpolate those between on a line:
`e = (x_j - x_0) - w (x_k - x_0)` with `w = (t_j - t_0) / (t_k - t_0)`, which is `j / k` on a
uniform grid. For an exchangeable piece `E e^2 = s^2 (1 + (1-w)^2 + w^2)` exactly, because the
coefficients `1, -(1-w), -w` sum to zero. Samples are taken relative to the first one and scaled to
a range of 1 to 2 by a power of two; sums of pieces are brought to the widest one's units.
"""

import math
from collections.abc import Iterator

import numpy as np
from jaxtyping import Float, Float64, Int64

from timegrain.kernels.discontinuity.pieces import Pieces
from timegrain.kernels.discontinuity.sums import ProfileSums


def profile_sums(
    values: Float[np.ndarray, "sample channel"],
    pieces: Pieces,
    strides: Int64[np.ndarray, " stride"],
    *,
    detrend: bool = False,
) -> ProfileSums:
    """Return the sums of the profile of real samples; see `dispatch.profile_sums`."""
    out = ProfileSums.empty(pieces.n_groups, values.shape[1], strides)
    used = np.zeros(values.shape[1])
    exponents = np.array([_exponents(values[a:b]) for a, b in _slices(pieces)])
    out.exponent[:] = exponents.max(axis=0, initial=_LEAST)
    for piece, (a, b) in enumerate(_slices(pieces)):
        times = pieces.times[a:b] if pieces.times.size else np.arange(b - a, dtype=np.float64)
        for c in range(values.shape[1]):
            x, e = values[a:b, c].astype(np.float64), int(exponents[piece, c])
            used[c] += _add_piece(out, x, e, times, c, int(pieces.groups[piece]), pieces, detrend)
    out.variance[:] = out.variance / np.maximum(used, 1)
    return out


_LEAST, _MOST = -1000, 1020


def _slices(pieces: Pieces) -> Iterator[tuple[int, int]]:
    yield from zip(pieces.starts.tolist(), pieces.stops.tolist(), strict=True)


def _exponents(x: Float[np.ndarray, "time channel"]) -> Int64[np.ndarray, " channel"]:
    """Return `floor(log2 range)` of each channel, -1000 for a range of 0."""
    known = [column[~np.isnan(column)].astype(np.float64) for column in x.T]
    spans = [float(v.max() - v.min()) if v.size else 0.0 for v in known]
    return np.array(
        [min(max(math.frexp(s)[1] - 1, _LEAST), _MOST) if s > 0 else _LEAST for s in spans],
        dtype=np.int64,
    )


def _add_piece(
    out: ProfileSums,
    x: Float64[np.ndarray, " time"],
    exponent: int,
    times: Float64[np.ndarray, " time"],
    c: int,
    group: int,
    pieces: Pieces,
    detrend: bool,
) -> bool:
    valid = ~np.isnan(x)
    out.missing[c] += int((~valid).sum())
    if valid.any():
        out.low[c] = min(out.low[c], x[valid].min())
        out.high[c] = max(out.high[c], x[valid].max())
        x = np.ldexp(x - x[valid][0], -exponent)
    share = math.ldexp(1.0, 2 * (exponent - int(out.exponent[c])))
    s2 = variance(x[valid], times[valid], detrend=detrend)
    if s2 is None:
        return False
    out.variance[c] += s2 * share
    for i, k in enumerate(out.strides.tolist()):
        square, fourth, count = 0.0, 0.0, 0
        for p, e, w in intervals(x, times, k):
            ok = ~np.isnan(e)
            into = p * k * pieces.n_segments // len(x) if pieces.n_segments > 1 else group
            weight = float((1 + (1 - w[ok]) ** 2 + w[ok] ** 2).sum())
            out.numerator[into, c, i] += float((e[ok] ** 2).sum()) * share
            out.denominator[into, c, i] += s2 * weight * share
            out.triples[c, i] += int(ok.sum())
            out.skipped[c, i] += int((~ok).sum())
            square, fourth = square + (e[ok] ** 2).sum(), fourth + (e[ok] ** 4).sum()
            count += int(ok.sum())
        if k == 2 and square > 2.0**-400 * count:
            out.fourth[c] += fourth * count**2 / square**2
            out.fourth_count[c] += count
    return True


def variance(
    x: Float64[np.ndarray, " time"], times: Float64[np.ndarray, " time"], *, detrend: bool
) -> float | None:
    """Return the unbiased variance about the mean, or about the least-squares line."""
    n = len(x)
    if n < (3 if detrend else 2):
        return None
    rest = x - x.mean()
    if not detrend:
        return float((rest**2).sum() / (n - 1))
    t = times - times.mean()
    rest = rest - t * float((rest * t).sum() / (t**2).sum())
    return float((rest**2).sum() / (n - 2))


def intervals(
    x: Float64[np.ndarray, " time"], times: Float64[np.ndarray, " time"], k: int
) -> Iterator[tuple[int, Float64[np.ndarray, " inner"], Float64[np.ndarray, " inner"]]]:
    """Yield `(p, e, w)` for each pair of neighbouring kept samples."""
    for p in range((len(x) - 1) // k):
        a = p * k
        inner = slice(a + 1, a + k)
        w = (times[inner] - times[a]) / (times[a + k] - times[a])
        yield p, (x[inner] - x[a]) - w * (x[a + k] - x[a]), w


def residuals(
    values: Float[np.ndarray, "sample channel"], pieces: Pieces, stride: int, channel: int
) -> Float64[np.ndarray, " triple"]:
    """Return `|e|` of every triple of one channel that touches no NaN."""
    found = [np.empty(0)]
    for a, b in zip(pieces.starts, pieces.stops, strict=True):
        times = pieces.times[a:b] if pieces.times.size else np.arange(b - a, dtype=np.float64)
        x = values[a:b, channel].astype(np.float64)
        found += [np.abs(e[~np.isnan(e)]) for _, e, _ in intervals(x, times, stride)]
    return np.concatenate(found)


def token_sums(
    tokens: Int64[np.ndarray, " sample"], pieces: Pieces, strides: Int64[np.ndarray, " stride"]
) -> ProfileSums:
    """Return the sums of one-hot encoded tokens, made by encoding them; for tests."""
    out = ProfileSums.empty(pieces.n_groups, 1, strides)
    vocabulary = np.unique(tokens)
    one_hot = (tokens[:, None] == vocabulary[None, :]).astype(np.float64)
    each = profile_sums(one_hot, pieces, strides)
    out.numerator[:] = each.numerator.sum(axis=1, keepdims=True)
    out.denominator[:] = each.denominator.sum(axis=1, keepdims=True)
    out.variance[:] = each.variance.sum()
    if len(vocabulary):
        out.triples[:] = each.triples[0]
    return out

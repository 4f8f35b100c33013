"""Which implementation of the discontinuity sums runs: compiled unless the reference is named."""

from typing import Literal

import numpy as np
from jaxtyping import Float, Float64, Int64

from timegrain.core.errors import ConfigError
from timegrain.kernels.discontinuity.pieces import Pieces
from timegrain.kernels.discontinuity.sums import ProfileSums
from timegrain.kernels.switched_off import switched_off

Backend = Literal["auto", "numba", "reference"]

_MAX_GROWTH_TRIPLES = 65_536
_SMALL = 2**28


def profile_sums(
    values: Float[np.ndarray, "sample channel"],
    pieces: Pieces,
    strides: Int64[np.ndarray, " stride"],
    *,
    detrend: bool = False,
    backend: Backend = "auto",
) -> ProfileSums:
    """Return the sums of the discontinuity profile of real samples.

    Every piece is scaled by a power of two to a range of 1 to 2, which rounds nothing, before
    squares and fourth powers are taken: in ratios of the sums the unit of the samples cancels to
    the last bit.

    Args:
        values: Samples of all pieces, one piece after the other, float32 or float64; NaN is
            missing. Sums are float64.
        pieces: Where each piece lies and which group it adds to.
        strides: Whole numbers >= 2.
        detrend: Take `s^2` about the least-squares line of each piece (in time) in the place of
            its mean; `e` does not see a line anyway.
        backend: `"auto"` and `"numba"` run the compiled kernel, `"reference"` the plain loop, which
            `"auto"` runs too where `NUMBA_DISABLE_JIT` is set.

    Returns:
        The sums, in units of `4^exponent`; a group without triples holds zeros. Infinite values
        show in `low` and `high`, and the sums mean nothing then.

    Example:
        >>> import numpy as np
        >>> x = np.array([[0.0], [1.0], [0.0]])
        >>> sums = profile_sums(x, Pieces.whole([3]), np.array([2]))
        >>> float(sums.numerator[0, 0, 0]), float(sums.denominator[0, 0, 0])  # 1 and s^2 * 1.5
        (1.0, 0.5)
    """
    if _is_reference(backend):
        from timegrain.kernels.discontinuity import reference

        return reference.profile_sums(values, pieces, strides, detrend=detrend)
    from timegrain.kernels.discontinuity.spans import sum_spans

    return sum_spans(_flat(values), pieces, strides, detrend=detrend)


def token_sums(
    tokens: Int64[np.ndarray, " sample"],
    pieces: Pieces,
    strides: Int64[np.ndarray, " stride"],
    *,
    backend: Backend = "auto",
) -> ProfileSums:
    r"""Return the sums of one-hot encoded tokens over the vocabulary, without encoding them.

    For one-hot vectors a, b, c of the samples `p k + j`, `p k` and `(p+1) k`
    `|a - (1-w) b - w c|^2 = 1 + (1-w)^2 + w^2 - 2(1-w)[a=b] - 2w[a=c] + 2w(1-w)[b=c]`, and the
    unbiased variances of the indicators add up to `(n - sum_v n_v^2 / n) / (n - 1)`.

    Args:
        tokens: Whole numbers, one piece after the other; any integers.
        pieces: Where each piece lies and which group it adds to.
        strides: Whole numbers >= 2.
        backend: As in `profile_sums`; the reference does encode.
    """
    if _is_reference(backend):
        from timegrain.kernels.discontinuity import reference

        return reference.token_sums(tokens, pieces, strides)
    from timegrain.kernels.discontinuity.numba_ import accumulate_tokens

    index, size = _vocabulary_index(tokens)
    out = ProfileSums.empty(pieces.n_groups, 1, strides)
    arrays = (out.numerator, out.denominator, out.triples, out.variance)
    accumulate_tokens(index, *_where(pieces), out.strides, size, arrays)
    return out


def residuals(
    values: Float[np.ndarray, "sample channel"],
    pieces: Pieces,
    stride: int,
    channel: int,
    *,
    backend: Backend = "auto",
) -> Float64[np.ndarray, " triple"]:
    """Return `|e|` of every triple of one channel that touches no NaN.

    Args:
        values: As in `profile_sums`.
        pieces: As in `profile_sums`.
        stride: Whole number >= 2.
        channel: Column of `values`.
        backend: As in `profile_sums`.
    """
    if _is_reference(backend):
        from timegrain.kernels.discontinuity import reference

        return reference.residuals(values, pieces, stride, channel)
    from timegrain.kernels.discontinuity import numba_

    out = np.empty(numba_.count_triples(pieces.starts, pieces.stops, stride))
    where = (pieces.times, pieces.starts, pieces.stops)
    return out[: numba_.residuals(_flat(values), *where, stride, channel, out)]


def growth_sums(
    pieces: Pieces, stride: int, exponents: Float64[np.ndarray, " exponent"]
) -> Float64[np.ndarray, " exponent"]:
    r"""Return `mean h_q / mean (1 + (1-w)^2 + w^2)` over the triples of irregular pieces.

    `h_q = |(1-w) a^q + w b^q - w(1-w) (a+b)^q| / |q - 2|` with `a`, `b` the times to the kept
    samples on the left and right; the factor makes its limit at `q = 2` finite. It is computed as
    `(a+b)^q (v |w^q - w^2| + w |v^q - v^2|) / |q - 2|`, `v = 1 - w`, in which nothing cancels.

    Args:
        pieces: Pieces with `times`.
        stride: Whole number >= 2 with at least one interval in the pieces.
        exponents: The `q` to evaluate at.

    Returns:
        One value an exponent. Beyond 65,536 triples every m-th interval is taken.
    """
    from timegrain.kernels.discontinuity import numba_

    total = numba_.count_triples(pieces.starts, pieces.stops, stride)
    out = np.zeros(len(exponents))
    step = -(-total // _MAX_GROWTH_TRIPLES)
    numba_.growth(pieces.times, pieces.starts, pieces.stops, stride, step, exponents, out)
    return out


def _flat(values: Float[np.ndarray, "sample channel"]) -> Float[np.ndarray, "sample channel"]:
    """Contiguous; read-only arrays cost a compilation of their own, so small ones are copied."""
    copy = not values.flags.writeable and values.nbytes < _SMALL
    return np.array(values) if copy else np.ascontiguousarray(values)


def _where(pieces: Pieces) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]:
    return (pieces.times, pieces.starts, pieces.stops, pieces.groups, pieces.n_segments)


def _vocabulary_index(
    tokens: Int64[np.ndarray, " sample"],
) -> tuple[Int64[np.ndarray, " sample"], int]:
    """Map tokens to `0..size-1`; sorting is left to vocabularies spread too far for a table."""
    if not tokens.size:
        return tokens, 1
    least, most = int(tokens.min()), int(tokens.max())
    if most - least < max(1_000_000, tokens.size):
        return tokens - least, most - least + 1
    words, index = np.unique(tokens, return_inverse=True)
    return index.astype(np.int64), len(words)


def _is_reference(backend: str) -> bool:
    if backend not in ("auto", "numba", "reference"):
        raise ConfigError(
            "unknown backend", got=repr(backend), expected="'auto', 'numba' or 'reference'"
        )
    return backend == "reference" or (backend == "auto" and switched_off())

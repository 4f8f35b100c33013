r"""Causal convolution through the frequency domain: one transform for a vector of channels.

Every lane transforms a channel of its own, so that no pass over the data ever moves lanes. Two
sequences share one complex transform, as its real and its imaginary part: the kernel of a channel
is the same for both, so they come apart by themselves. Transforms go from natural to scrambled
order (decimation in frequency) and back (in time); products do not mind the order, and nothing is
ever unscrambled. Passes are of radix 4, then at most one of 2 and one of 3.

Rounding is relative to both sequences together. So where they are of different size, lane by lane,
both are first brought to one size by powers of two, which rounds nothing; and where one is not
finite, zeros stand in for it and NaN is its result. The product of `gy` and `u` adds up both
sequences: `u` is multiplied by what `gy` was divided by.

Passes over more than the cache holds are made for the whole, then part after part to the end.

Source:
    Cooley and Tukey, An algorithm for the machine calculation of complex Fourier series (1965);
    Gentleman and Sande, Fast Fourier transforms, for fun and profit (1966), for both orders.
"""

import math

from numba import njit

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import fill, fma, greater, lesser
from timegrain.kernels.vectors.memory import load, load_some, store, store_some

# Sums of squares of two sequences of one size, and those that tell nothing of it.
_NEAR = 16.0
_LOW, _HIGH = 1e-30, 1e30
_CACHED = 1024  # points of two vectors each: 128 KiB
_HALF_ROOT_3 = 0.8660254037844386


@inner(forceinline=True)
def _times(re, im, cos, sin, minus_sin):
    """Return `(re + i im)(cos + i sin)`."""
    return fma(im, minus_sin, re * cos), fma(im, cos, re * sin)


@inner(forceinline=True)
def _four(z, begin, size, turns, forth):
    """One pass of radix 4 over the block of `size` points from `begin` on."""
    quarter, stride = size // 4, turns.shape[0] // size
    s, t = (2, 1) if forth is None else (1, 2)
    for j in range(quarter):
        p0 = begin + j
        p1, p2, p3 = p0 + quarter, p0 + 2 * quarter, p0 + 3 * quarter
        j1 = j * stride
        j2, j3 = 2 * j1, 3 * j1
        c1, s1, m1 = fill(z, turns[j1, 0]), fill(z, turns[j1, s]), fill(z, turns[j1, t])
        c2, s2, m2 = fill(z, turns[j2, 0]), fill(z, turns[j2, s]), fill(z, turns[j2, t])
        c3, s3, m3 = fill(z, turns[j3, 0]), fill(z, turns[j3, s]), fill(z, turns[j3, t])
        ar, ai = load(z, (p0, 0, 0)), load(z, (p0, 1, 0))
        br, bi = load(z, (p1, 0, 0)), load(z, (p1, 1, 0))
        cr, ci = load(z, (p2, 0, 0)), load(z, (p2, 1, 0))
        dr, di = load(z, (p3, 0, 0)), load(z, (p3, 1, 0))
        if forth is not None:
            er, ei, fr, fi = ar + cr, ai + ci, ar - cr, ai - ci
            gr, gi, hr, hi = br + dr, bi + di, bi - di, dr - br
            ar, ai = er + gr, ei + gi
            br, bi = _times(fr + hr, fi + hi, c1, s1, m1)
            cr, ci = _times(er - gr, ei - gi, c2, s2, m2)
            dr, di = _times(fr - hr, fi - hi, c3, s3, m3)
        else:
            br, bi = _times(br, bi, c1, s1, m1)
            cr, ci = _times(cr, ci, c2, s2, m2)
            dr, di = _times(dr, di, c3, s3, m3)
            er, ei, gr, gi = ar + cr, ai + ci, ar - cr, ai - ci
            fr, fi, hr, hi = br + dr, bi + di, di - bi, br - dr
            ar, ai, cr, ci = er + fr, ei + fi, er - fr, ei - fi
            br, bi, dr, di = gr + hr, gi + hi, gr - hr, gi - hi
        store(z, (p0, 0, 0), ar)
        store(z, (p0, 1, 0), ai)
        store(z, (p1, 0, 0), br)
        store(z, (p1, 1, 0), bi)
        store(z, (p2, 0, 0), cr)
        store(z, (p2, 1, 0), ci)
        store(z, (p3, 0, 0), dr)
        store(z, (p3, 1, 0), di)


@inner(forceinline=True)
def _two(z, begin, size, turns, forth):
    half, stride = size // 2, turns.shape[0] // size
    s, t = (2, 1) if forth is None else (1, 2)
    for j in range(half):
        p0, p1, j1 = begin + j, begin + j + half, j * stride
        c, sin, minus = fill(z, turns[j1, 0]), fill(z, turns[j1, s]), fill(z, turns[j1, t])
        ar, ai = load(z, (p0, 0, 0)), load(z, (p0, 1, 0))
        br, bi = load(z, (p1, 0, 0)), load(z, (p1, 1, 0))
        if forth is not None:
            er, ei, br, bi = ar + br, ai + bi, ar - br, ai - bi
            ar, ai = er, ei
            br, bi = _times(br, bi, c, sin, minus)
        else:
            br, bi = _times(br, bi, c, sin, minus)
            ar, ai, br, bi = ar + br, ai + bi, ar - br, ai - bi
        store(z, (p0, 0, 0), ar)
        store(z, (p0, 1, 0), ai)
        store(z, (p1, 0, 0), br)
        store(z, (p1, 1, 0), bi)


@inner(forceinline=True)
def _three(z, begin, forth):
    """The transform of three points, always the last pass forth: no point of it is turned."""
    ar, ai = load(z, (begin, 0, 0)), load(z, (begin, 1, 0))
    br, bi = load(z, (begin + 1, 0, 0)), load(z, (begin + 1, 1, 0))
    cr, ci = load(z, (begin + 2, 0, 0)), load(z, (begin + 2, 1, 0))
    root = fill(z, -_HALF_ROOT_3 if forth is None else _HALF_ROOT_3)
    half = fill(z, -0.5)
    sr, si, dr, di = br + cr, bi + ci, (br - cr) * root, (bi - ci) * root
    mr, mi = fma(sr, half, ar), fma(si, half, ai)
    store(z, (begin, 0, 0), ar + sr)
    store(z, (begin, 1, 0), ai + si)
    store(z, (begin + 1, 0, 0), mr + di)
    store(z, (begin + 1, 1, 0), mi - dr)
    store(z, (begin + 2, 0, 0), mr - di)
    store(z, (begin + 2, 1, 0), mi + dr)


@inner(error_model="numpy", boundscheck=False)
def _pass(z, begin, stop, size, turns, forth):
    """One pass over the blocks of `size` points between `begin` and `stop`.

    `forth` is True or None: numba removes a branch on None.
    """
    for block in range(begin, stop, size):
        if size % 4 == 0:
            _four(z, block, size, turns, forth)
        elif size % 2 == 0:
            _two(z, block, size, turns, forth)
        else:
            _three(z, block, forth)


@inner(forceinline=True)
def _smaller(size):
    """Return the blocks of the next pass."""
    return size // 4 if size % 4 == 0 else size // 2 if size % 2 == 0 else size // 3


@inner(error_model="numpy", boundscheck=False)
def _transform(z, turns):
    """Transform in place, from natural to scrambled order."""
    points, part = z.shape[0], z.shape[0]
    while part > _CACHED:
        _pass(z, 0, points, part, turns, True)
        part = _smaller(part)
    for begin in range(0, points, part):
        size = part
        while size > 1:
            _pass(z, begin, begin + part, size, turns, True)
            size = _smaller(size)


@inner(error_model="numpy", boundscheck=False)
def _back(z, turns, sizes):
    """Undo `_transform`, but for a factor of as many as there are points."""
    points, part = z.shape[0], z.shape[0]
    while part > _CACHED:
        part = _smaller(part)
    for begin in range(0, points, part):
        for i in range(sizes.shape[0] - 1, -1, -1):
            if sizes[i] <= part:
                _pass(z, begin, begin + part, sizes[i], turns, None)
    for i in range(sizes.shape[0] - 1, -1, -1):
        if sizes[i] > part:
            _pass(z, 0, points, sizes[i], turns, None)


@inner(forceinline=True)
def _gather(source, b, first, count, z):
    """Lay sequences `b` and `b + 1` out as real and imaginary part, zeros behind their end.

    Returns:
        Their sums of squares; where there is no other sequence, the first one's for both.
    """
    length = source.shape[1]
    other = b + 1 < source.shape[0]
    zero = fill(z, 0.0)
    one, two = zero, zero
    for t in range(length):
        value = load_some(source, (b, t, first), count)
        store(z, (t, 0, 0), value)
        one = fma(value, value, one)
        if other:
            value = load_some(source, (b + 1, t, first), count)
            store(z, (t, 1, 0), value)
            two = fma(value, value, two)
        else:
            store(z, (t, 1, 0), zero)
    for t in range(length, z.shape[0]):
        store(z, (t, 0, 0), zero)
        store(z, (t, 1, 0), zero)
    return one, two if other else one


@inner(forceinline=True)
def _weigh(z, part, length, weights):
    for t in range(length):
        store(z, (t, part, 0), load(z, (t, part, 0)) * weights)


@inner(error_model="numpy", boundscheck=False)
def _bring_to_size(z, part, length, levels):
    """Divide one of both sequences by the power of two that is next to its largest value.

    It goes to `levels[part]`, or 0 for a sequence of zeros, NaN for one that is not finite.
    """
    zero = fill(z, 0.0)
    low, high, odd = zero, zero, zero
    for t in range(length):
        value = load(z, (t, part, 0))
        low, high, odd = lesser(value, low), greater(value, high), fma(value, zero, odd)
    store(levels, (2, 0), greater(zero - low, high))
    store(levels, (3, 0), odd)
    most = 120 if z.itemsize == 4 else 1000
    for lane in range(z.shape[2]):
        size, weight = levels[2, lane], 1.0
        if levels[3, lane] != 0:  # NaN
            levels[part, lane] = math.nan
            for t in range(length):
                z[t, part, lane] = 0.0
        elif size == 0:
            levels[part, lane] = 0.0
        else:
            exponent = min(max(math.frexp(size)[1], -most), most)
            levels[part, lane] = math.ldexp(1.0, exponent)
            weight = math.ldexp(1.0, -exponent)
        levels[2, lane] = weight
    _weigh(z, part, length, load(levels, (2, 0)))


@inner(forceinline=True)
def _level(z, length, count, norms, levels):
    """Bring both sequences to one size where one of `count` lanes asks for it.

    Args:
        z: As `_gather` leaves it.
        length: Samples.
        count: Lanes that mean something.
        norms: As `_gather` returns them.
        levels: `(4, lanes)`; its first two rows become what takes the results back.

    Returns:
        Whether anything was changed.
    """
    one = fill(z, 1.0)
    store(levels, (0, 0), norms[0])
    store(levels, (1, 0), norms[1])
    near = True
    for lane in range(count):
        a, b = levels[0, lane], levels[1, lane]
        near &= _LOW < a < _HIGH and a <= _NEAR * b and b <= _NEAR * a
    if near:
        store(levels, (0, 0), one)
        store(levels, (1, 0), one)
        return False
    _bring_to_size(z, 0, length, levels)
    _bring_to_size(z, 1, length, levels)
    return True


@inner(forceinline=True)
def _scatter(z, target, b, first, count, levels):
    other = b + 1 < target.shape[0]
    one, two = load(levels, (0, 0)), load(levels, (1, 0))
    for t in range(target.shape[1]):
        store_some(target, (b, t, first), load(z, (t, 0, 0)) * one, count)
        if other:
            store_some(target, (b + 1, t, first), load(z, (t, 1, 0)) * two, count)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def spectrum(start, stop, sources, K, turns, spectra):
    """Transform the kernels of the blocks of channels numbered `start` to `stop`.

    Args:
        start: The first block.
        stop: The block after the last one.
        sources: Part of the cache's key, not read.
        K: Kernel `(1, l, d)`.
        turns: Cosine, minus sine and sine of `2 pi j / N` for `j < N`, `(N, 3)`.
        spectra: `(blocks, N, 2, lanes)`, written everywhere, divided by N.
    """
    points, lanes, width = spectra.shape[1], spectra.shape[3], K.shape[2]
    share = fill(spectra, 1.0 / points)
    for block in range(start, stop):
        first = block * lanes
        z = spectra[block]
        _gather(K, 0, first, min(lanes, width - first), z)
        _transform(z, turns)
        for p in range(points):
            store(z, (p, 0, 0), load(z, (p, 0, 0)) * share)
            store(z, (p, 1, 0), load(z, (p, 1, 0)) * share)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def forward(start, stop, sources, scratch, u, spectra, turns, sizes, y):
    """Convolve the (block of channels, two sequences) pairs numbered `start` to `stop`.

    Args:
        start: The first pair, block-major.
        stop: The pair after the last one.
        sources: Part of the cache's key, not read.
        scratch: Memory `(N, 2, lanes)` and `(4, lanes)`.
        u: Input `(b, l, d)`.
        spectra: As `spectrum` leaves them.
        turns: As in `spectrum`.
        sizes: Points of a block in each pass, the largest first.
        y: Output `(b, l, d)`, written everywhere.
    """
    z, levels = scratch
    batch, length, width = u.shape
    lanes, pairs = z.shape[2], (batch + 1) // 2
    zero = fill(z, 0.0)
    for item in range(start, stop):
        block, b = item // pairs, 2 * (item % pairs)
        first = block * lanes
        count = min(lanes, width - first)
        _level(z, length, count, _gather(u, b, first, count, z), levels)
        _transform(z, turns)
        for p in range(z.shape[0]):
            kr, ki = load(spectra, (block, p, 0, 0)), load(spectra, (block, p, 1, 0))
            re, im = _times(load(z, (p, 0, 0)), load(z, (p, 1, 0)), kr, ki, zero - ki)
            store(z, (p, 0, 0), re)
            store(z, (p, 1, 0), im)
        _back(z, turns, sizes)
        _scatter(z, y, b, first, count, levels)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def backward(start, stop, sources, scratch, u, gy, spectra, turns, sizes, grads):
    """Gradients of the (block of channels, group of sequences) pairs numbered `start` to `stop`.

    Args:
        start: The first pair, block-major; the groups share the pairs of sequences evenly.
        stop: The pair after the last one.
        sources: Part of the cache's key, not read.
        scratch: Memory `(3, N, 2, lanes)` and `(4, lanes)`.
        u: Input `(b, l, d)`.
        gy: Gradient of the output.
        spectra: As `spectrum` leaves them.
        turns: As in `spectrum`.
        sizes: As in `forward`.
        grads: Of `u (b, l, d)` and of `K (groups, l, d)`, the latter still to be summed over
            groups; written everywhere.
    """
    gu, gK = grads
    batch, length, width = u.shape
    memory, levels = scratch
    lanes, pairs, groups = memory.shape[3], (batch + 1) // 2, gK.shape[0]
    z, g, total = memory[0], memory[1], memory[2]
    points = z.shape[0]
    zero, share = fill(z, 0.0), fill(z, 1.0 / points)
    for item in range(start, stop):
        block, group = item // groups, item % groups
        first = block * lanes
        count = min(lanes, width - first)
        for p in range(points):
            store(total, (p, 0, 0), zero)
            store(total, (p, 1, 0), zero)
        for pair in range(pairs * group // groups, pairs * (group + 1) // groups):
            norms = _gather(gy, 2 * pair, first, count, g)
            levelled = _level(g, length, count, norms, levels)
            _transform(g, turns)
            _gather(u, 2 * pair, first, count, z)
            if levelled:
                _weigh(z, 0, length, load(levels, (0, 0)))
                _weigh(z, 1, length, load(levels, (1, 0)))
            _transform(z, turns)
            for p in range(points):
                ur, ui = load(z, (p, 0, 0)), load(z, (p, 1, 0))
                gr, gi = load(g, (p, 0, 0)), load(g, (p, 1, 0))
                kr, ki = load(spectra, (block, p, 0, 0)), load(spectra, (block, p, 1, 0))
                # g times the conjugate of u, of which the two sequences are two terms
                re = fma(gi, ui, fma(gr, ur, load(total, (p, 0, 0))))
                im = fma(zero - gr, ui, fma(gi, ur, load(total, (p, 1, 0))))
                store(total, (p, 0, 0), re)
                store(total, (p, 1, 0), im)
                re, im = _times(gr, gi, kr, zero - ki, ki)
                store(g, (p, 0, 0), re)
                store(g, (p, 1, 0), im)
            _back(g, turns, sizes)
            _scatter(g, gu, 2 * pair, first, count, levels)
        _back(total, turns, sizes)
        for t in range(gK.shape[1]):
            store_some(gK, (group, t, first), load(total, (t, 0, 0)) * share, count)

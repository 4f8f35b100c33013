r"""`f (S_0 - S_1 S_2 / (1 + S_3))` and its gradient as compiled loops, a vector of nodes at a time.

With `r = 1/(1 + S_3)` and `h = g conj(f)`, g the gradient of the value, the sums get `h`,
`-h conj(S_2 r)`, `-h conj(S_1 r)` and `h conj(S_1 S_2 r^2)`.
"""

from numba import njit

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import fill, fma
from timegrain.kernels.vectors.complex_parts import product
from timegrain.kernels.vectors.memory import load, store

_LANES = 8


@inner(forceinline=True)
def _read(sums, d, r, m):
    return load(sums, (d, r, 0, m)), load(sums, (d, r, 1, m))


@inner(forceinline=True)
def _inverse(sums, d, m):
    """Return `1/(1 + S_3)`."""
    one, zero = fill(sums, 1.0), fill(sums, 0.0)
    real, imag = _read(sums, d, 3, m)
    real = real + one
    norm = one / fma(real, real, imag * imag)
    return real * norm, (zero - imag) * norm


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def combine(start, stop, sources, sums, front, out):
    """Write the values of channels `start` to `stop`.

    Args:
        start: The first channel.
        stop: The channel after the last one.
        sources: Part of the cache's key, not read.
        sums: `(d, 4, 2, m)`, m a multiple of a vector's lanes.
        front: `(2, m)`.
        out: `(d, 2, m)`, written everywhere.
    """
    for d in range(start, stop):
        for m in range(0, front.shape[1], _LANES):
            r, a, b, s = (
                _inverse(sums, d, m),
                _read(sums, d, 1, m),
                _read(sums, d, 2, m),
                _read(sums, d, 0, m),
            )
            p, q = product(*product(*a, *b), *r)
            p, q = product(load(front, (0, m)), load(front, (1, m)), s[0] - p, s[1] - q)
            store(out, (d, 0, m), p)
            store(out, (d, 1, m), q)


@inner(forceinline=True)
def _write(out, d, r, m, hr, hi, br, bi):
    """Write `h conj(b)`."""
    store(out, (d, r, 0, m), fma(hr, br, hi * bi))
    store(out, (d, r, 1, m), hi * br - hr * bi)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def gradients(start, stop, sources, sums, front, grad, out):
    """Write the gradients of the sums of channels `start` to `stop`.

    Args:
        start: As in `combine`.
        stop: As in `combine`.
        sources: As in `combine`.
        sums: As in `combine`.
        front: As in `combine`.
        grad: `(d, 2, m)`, zero where there is no node.
        out: `(d, 4, 2, m)`, written everywhere.
    """
    zero = fill(front, 0.0)
    for d in range(start, stop):
        for m in range(0, front.shape[1], _LANES):
            r, a, b = _inverse(sums, d, m), _read(sums, d, 1, m), _read(sums, d, 2, m)
            fr, fi = load(front, (0, m)), zero - load(front, (1, m))
            hr, hi = product(load(grad, (d, 0, m)), load(grad, (d, 1, m)), fr, fi)
            store(out, (d, 0, 0, m), hr)
            store(out, (d, 0, 1, m), hi)
            lr, li = product(*a, *r)
            kr, ki = product(*b, *r)
            _write(out, d, 1, m, zero - hr, zero - hi, kr, ki)
            _write(out, d, 2, m, zero - hr, zero - hi, lr, li)
            pr, pi = product(lr, li, kr, ki)
            _write(out, d, 3, m, hr, hi, pr, pi)

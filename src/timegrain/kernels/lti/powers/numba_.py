r"""`K_l = 2 Re sum_n w_n exp(z_n l)` and its gradients, channel by channel.

With `l = c F + f` the power is `q_c p_f`, of a coarse and a fine one. Both are made in float64 from
`exp(z F)` and `exp(z)` by doubling, for eight modes at a time, so that their relative error is a
few `l eps`; then K is a sum of products in the dtype of the result, with `f` along the lanes.
Nothing of size `(d, n, l)` exists: per channel there are `4 n (F + l/F)` numbers.

Backward, with `S0 = sum_l g_l e^{z l}` and `S1 = sum_l g_l l e^{z l}`,

    dL = 2 Re(dw S0 + w dz S1),

where `S0 = sum_f p_f X_f` and `S1 = sum_f p_f (f X_f + F Y_f)` with `X_f = sum_c q_c g_cf` and
`Y_f = sum_c c q_c g_cf`. In real arithmetic that is 4 multiply-adds a mode and sample, and 2 in the
forward pass.
"""

from numba import njit

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import fill, fma, total
from timegrain.kernels.vectors.exponential import exponential
from timegrain.kernels.vectors.memory import load, store
from timegrain.kernels.vectors.sine import sine_and_cosine

# A power that has decayed to this is 0: its products would be subnormal numbers of float32, each of
# which costs a hundred operations.
_TINY = 2.0**-80


@inner(forceinline=True)
def _powers(zr, zi, wide, count):
    """Write `exp(z k)` for `k < count` to `wide[k, real or imaginary, mode]`; all NaN if z is."""
    size, (sine, cosine) = exponential(zr), sine_and_cosine(zi)
    re, im = size * cosine, size * sine
    store(wide, (0, 0, 0), fma(re, fill(wide, 0.0), fill(wide, 1.0)))
    store(wide, (0, 1, 0), fill(wide, 0.0))
    done = 1
    while done < count:
        for k in range(min(done, count - done)):
            pr, pi = load(wide, (k, 0, 0)), load(wide, (k, 1, 0))
            store(wide, (done + k, 0, 0), pr * re - pi * im)
            store(wide, (done + k, 1, 0), fma(pr, im, pi * re))
        square = re * im
        re, im = re * re - im * im, square + square
        done *= 2


@inner(forceinline=True)
def _kept(value):
    return 0.0 if abs(value) <= _TINY else value  # NaN is kept


@inner(forceinline=True)
def _fine(zr, zi, wide, fine, n):
    """Write the fine powers of eight modes to `fine[n + mode, real or imaginary, f]`."""
    _powers(zr, zi, wide, fine.shape[2])
    for mode in range(8):
        for i in range(2):
            for f in range(fine.shape[2]):
                fine[n + mode, i, f] = _kept(wide[f, i, mode])


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def forward(start, stop, sources, scratch, modes, z, w, skip, K):
    """Make the kernels of the channels numbered `start` to `stop`.

    Args:
        start: The first channel.
        stop: The channel after the last one.
        sources: Part of the cache's key, not read.
        scratch: Memory: float64 `(max(F, coarse), 2, 8)`; of the dtype of K: the fine powers
            `(N, 2, F)`, the coarse ones `(N, coarse, 2)` and sums `(coarse, F)`, with
            `coarse F >= l` and `coarse` a multiple of 4.
        modes: How many there are, at most N.
        z: Exponents `(d, 2, N)`, real and imaginary part, float64, N a multiple of 8.
        w: Weights, as z.
        skip: Added to the first sample of each kernel, `(d,)` or empty.
        K: `(d, l)`, written everywhere.
    """
    wide, fine, rough, sums = scratch
    coarse, width = sums.shape
    lanes, span = 64 // fine.itemsize, fill(wide, width)
    two = fill(wide, 2.0)
    for d in range(start, stop):
        for n in range(0, z.shape[2], 8):
            zr, zi = load(z, (d, 0, n)), load(z, (d, 1, n))
            _fine(zr, zi, wide, fine, n)
            _powers(zr * span, zi * span, wide, coarse)
            wr, wi = two * load(w, (d, 0, n)), two * load(w, (d, 1, n))
            for c in range(coarse):
                qr, qi = load(wide, (c, 0, 0)), load(wide, (c, 1, 0))
                store(wide, (c, 0, 0), wr * qr - wi * qi)
                store(wide, (c, 1, 0), fill(wide, 0.0) - fma(wr, qi, wi * qr))
            for mode in range(8):
                limit = _TINY * max(abs(w[d, 0, n + mode]), abs(w[d, 1, n + mode]))
                for c in range(coarse):
                    for i in range(2):
                        value = wide[c, i, mode]
                        rough[n + mode, c, i] = 0.0 if abs(value) <= limit else value
        for f in range(0, width, lanes):
            for c in range(0, coarse, 4):
                zero = fill(fine, 0.0)
                a0, a1, a2, a3 = zero, zero, zero, zero
                b0, b1, b2, b3 = zero, zero, zero, zero
                for n in range(modes):
                    re, im = load(fine, (n, 0, f)), load(fine, (n, 1, f))
                    a0 = fma(re, fill(fine, rough[n, c, 0]), a0)
                    b0 = fma(im, fill(fine, rough[n, c, 1]), b0)
                    a1 = fma(re, fill(fine, rough[n, c + 1, 0]), a1)
                    b1 = fma(im, fill(fine, rough[n, c + 1, 1]), b1)
                    a2 = fma(re, fill(fine, rough[n, c + 2, 0]), a2)
                    b2 = fma(im, fill(fine, rough[n, c + 2, 1]), b2)
                    a3 = fma(re, fill(fine, rough[n, c + 3, 0]), a3)
                    b3 = fma(im, fill(fine, rough[n, c + 3, 1]), b3)
                store(sums, (c, f), a0 + b0)
                store(sums, (c + 1, f), a1 + b1)
                store(sums, (c + 2, f), a2 + b2)
                store(sums, (c + 3, f), a3 + b3)
        flat = sums.reshape(-1)
        for k in range(K.shape[1]):
            K[d, k] = flat[k]
        if skip.shape[0] > 0:
            K[d, 0] += skip[d]


@inner(forceinline=True)
def _joined(n, f, fine, step, span, xr, xi, yr, yi):
    """Return the parts of S0 and S1 that one vector of fine powers of mode n has."""
    pr, pi = load(fine, (n, 0, f)), load(fine, (n, 1, f))
    tr, ti = fma(step, xr, span * yr), fma(step, xi, span * yi)
    return pr * xr - pi * xi, fma(pr, xi, pi * xr), pr * tr - pi * ti, fma(pr, ti, pi * tr)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def backward(start, stop, sources, scratch, modes, z, w, gK, grads):
    """Gradients of the channels numbered `start` to `stop`.

    Args:
        start: The first channel.
        stop: The channel after the last one.
        sources: Part of the cache's key, not read.
        scratch: As in `forward`, but the coarse powers are `(N, coarse, 4)`; and steps `(F,)`.
        modes: As in `forward`.
        z: As in `forward`.
        w: As in `forward`.
        gK: Gradient of the kernel, `(d, l)`.
        grads: Of z and of w, each as z, written everywhere; a complex gradient is that
            to the real part and that to the imaginary part.
    """
    wide, fine, rough, g, steps = scratch
    coarse, width = g.shape
    lanes = 64 // fine.itemsize
    span, reach = fill(fine, width), fill(wide, width)
    for f in range(width):
        steps[f] = f
    for d in range(start, stop):
        for n in range(0, z.shape[2], 8):
            zr, zi = load(z, (d, 0, n)), load(z, (d, 1, n))
            _fine(zr, zi, wide, fine, n)
            _powers(zr * reach, zi * reach, wide, coarse)
            for mode in range(8):
                for c in range(coarse):
                    re, im = _kept(wide[c, 0, mode]), _kept(wide[c, 1, mode])
                    rough[n + mode, c, 0], rough[n + mode, c, 1] = re, im
                    rough[n + mode, c, 2], rough[n + mode, c, 3] = c * re, c * im
        flat = g.reshape(-1)
        for k in range(flat.shape[0]):
            flat[k] = gK[d, k] if k < gK.shape[1] else 0.0
        for n in range(0, modes, 2):
            zero = fill(fine, 0.0)
            r0, i0, r1, i1, s0, t0, s1, t1 = zero, zero, zero, zero, zero, zero, zero, zero
            for f in range(0, width, lanes):
                xr, xi, yr, yi, ur, ui, vr, vi = zero, zero, zero, zero, zero, zero, zero, zero
                for c in range(coarse):
                    value = load(g, (c, f))
                    xr = fma(value, fill(fine, rough[n, c, 0]), xr)
                    xi = fma(value, fill(fine, rough[n, c, 1]), xi)
                    yr = fma(value, fill(fine, rough[n, c, 2]), yr)
                    yi = fma(value, fill(fine, rough[n, c, 3]), yi)
                    ur = fma(value, fill(fine, rough[n + 1, c, 0]), ur)
                    ui = fma(value, fill(fine, rough[n + 1, c, 1]), ui)
                    vr = fma(value, fill(fine, rough[n + 1, c, 2]), vr)
                    vi = fma(value, fill(fine, rough[n + 1, c, 3]), vi)
                step = load(steps, (f,))
                p0, q0, p1, q1 = _joined(n, f, fine, step, span, xr, xi, yr, yi)
                r0, i0, r1, i1 = r0 + p0, i0 + q0, r1 + p1, i1 + q1
                p0, q0, p1, q1 = _joined(n + 1, f, fine, step, span, ur, ui, vr, vi)
                s0, t0, s1, t1 = s0 + p0, t0 + q0, s1 + p1, t1 + q1
            _write(grads, w, d, n, total(r0), total(i0), total(r1), total(i1))
            _write(grads, w, d, n + 1, total(s0), total(t0), total(s1), total(t1))
        for n in range(modes, z.shape[2]):
            _write(grads, w, d, n, 0.0, 0.0, 0.0, 0.0)


@inner(forceinline=True)
def _write(grads, w, d, n, re0, im0, re1, im1):
    gz, gw = grads
    gw[d, 0, n], gw[d, 1, n] = 2.0 * re0, -2.0 * im0
    gz[d, 0, n] = 2.0 * (w[d, 0, n] * re1 - w[d, 1, n] * im1)
    gz[d, 1, n] = -2.0 * (w[d, 0, n] * im1 + w[d, 1, n] * re1)

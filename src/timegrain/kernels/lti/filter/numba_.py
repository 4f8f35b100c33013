"""Discretisation, kernel and sums of a short convolution one after the other, and back.

On a few thousand numbers the calls from Python cost more than the work: each way there is one.
"""

from numba import njit

from timegrain.kernels.lti.direct import numba_ as direct
from timegrain.kernels.lti.powers import numba_ as powers
from timegrain.kernels.lti.zoh import numba_ as zoh


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def forward(sources, ratio, memory, parameters, skip, modes, taps, u, y):
    """Compute the output.

    Args:
        sources: Part of the cache's key, not read.
        ratio: Step over the step in training.
        memory: Scratch memory of `zoh.forward`, then that of `powers.forward` and of
            `direct.forward`.
        parameters: As in `zoh.forward`.
        skip: As in `powers.forward`.
        modes: Exponents and weights, each as in `zoh.forward`, written everywhere.
        taps: Kernel `(1, l, d)`, written everywhere.
        u: Input `(b, l, d)`.
        y: Output `(b, l, d)`, written everywhere.
    """
    rows, wide, fine, rough, sums, lanes = memory
    z, w = modes
    zoh.forward(sources, rows, ratio, parameters, z, w)
    scratch = (wide, fine, rough, sums)
    channels, count = parameters[1].shape
    powers.forward(0, channels, sources, scratch, count, z, w, skip, taps[0].T)
    blocks = (channels + lanes.shape[2] - 1) // lanes.shape[2]
    direct.forward(0, blocks * u.shape[0], sources, lanes, u, taps, y)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def backward(sources, ratio, memory, parameters, modes, taps, u, gy, gu, grads):
    """Compute the gradients.

    Args:
        sources: Part of the cache's key, not read.
        ratio: As in `forward`.
        memory: Scratch memory of `zoh.backward`, of `powers.backward` and of `direct.backward`;
            gradients of exponents and weights, of the taps `(groups, l, d)`, and the sum of the
            latter `(d, l)`.
        parameters: As in `forward`.
        modes: As `forward` left them.
        taps: As `forward` left them.
        u: As in `forward`.
        gy: Gradient of the output.
        gu: Of the input, written everywhere.
        grads: Of the parameters and of the skip, the latter `(d,)` or empty.
    """
    rows, wide, fine, rough, g, steps, lanes, gz, gw, partial, gK = memory
    z, w = modes
    channels, count = parameters[1].shape
    groups = partial.shape[0]
    blocks = (channels + lanes.shape[2] - 1) // lanes.shape[2]
    direct.backward(0, blocks * groups, sources, lanes, (u, taps), gy, (gu, partial))
    for d in range(channels):
        for k in range(gK.shape[1]):
            total = partial[0, k, d]
            for group in range(1, groups):
                total += partial[group, k, d]
            gK[d, k] = total
    scratch = (wide, fine, rough, g, steps)
    powers.backward(0, channels, sources, scratch, count, z, w, gK, (gz, gw))
    g_log_dt, g_log_decay, g_frequency, gC, g_skip = grads
    through = (g_log_dt, g_log_decay, g_frequency, gC)
    zoh.backward(sources, rows, ratio, parameters, gz, gw, through)
    for d in range(g_skip.shape[0]):
        g_skip[d] = gK[d, 0]

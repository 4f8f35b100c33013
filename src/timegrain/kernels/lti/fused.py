"""The causal convolution on the CPU: compiled loops behind `torch.autograd`."""

import math
from functools import cache
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from timegrain.kernels import vectors
from timegrain.kernels.cache_key import sources
from timegrain.kernels.derivatives import first_only
from timegrain.kernels.lti.direct import numba_ as direct
from timegrain.kernels.lti.fourier import numba_ as fourier
from timegrain.kernels.plain import numpy_of, plain, saved
from timegrain.kernels.scratch import scratch
from timegrain.kernels.threads import run_shared
from timegrain.kernels.vectors.lanes import LANE_BYTES, lane_count

DIRECT = 256
"""Samples up to which sums are faster than transforms, measured with AVX-512."""
_GROUPS = 8


def lti_conv_numba(u: Float[Tensor, "b l d"], K: Float[Tensor, "d k"]) -> Float[Tensor, "b l d"]:
    """Return the convolution; arguments are checked and of one dtype, float32 or float64."""
    if torch.is_grad_enabled() and (u.requires_grad or K.requires_grad):
        y: Tensor = _Convolution.apply(u, K)
        return y
    return _forward(*_prepared(u, K))[0]


class _Convolution(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, u: Tensor, K: Tensor) -> Tensor:
        ctx.taps = K.shape[1]
        u, taps = _prepared(u, K)
        y, spectra = _forward(u, taps)
        ctx.save_for_backward(u, taps, spectra)
        return y

    @staticmethod
    @first_only("lti_conv")
    def backward(ctx: Any, gy: Tensor) -> tuple[Tensor, Tensor]:
        u, taps, spectra = saved(ctx)
        g_u, g_taps = _backward(u, taps, spectra, plain(gy))
        g_K = g_taps.mT
        return g_u, torch.nn.functional.pad(g_K, (0, ctx.taps - g_K.shape[1]))


def _prepared(u: Tensor, K: Tensor) -> tuple[Tensor, Tensor]:
    """Return u, and the kernel as `(l, d)` with zeros where it is shorter than u."""
    length = u.shape[1]
    K = K.detach()[:, :length]
    if K.shape[1] < length:
        K = torch.nn.functional.pad(K, (0, length - K.shape[1]))
    return plain(u), plain(K.mT)


def _forward(u: Tensor, taps: Tensor) -> tuple[Tensor, Tensor | None]:
    """Return y, and the spectra of the kernels where there are any."""
    batch, length, width = u.shape
    count = lane_count(u.numpy().dtype)
    blocks = -(-width // count)
    y = torch.empty_like(u)
    inputs, kernel, out = numpy_of(u, taps[None], y)
    version = sources(vectors)
    if length <= DIRECT:
        rows = -(-length // direct.TILE) * direct.TILE

        def sums(start: int, stop: int) -> None:
            with scratch(((3, rows, count), u.dtype)) as (memory,):
                direct.forward(start, stop, version, memory, inputs, kernel, out)

        run_shared(sums, blocks * batch, u.numel() * length // 16)
        return y, None
    points = transform_size(2 * length - 1)
    turns, sizes = _plan(points, u.dtype)
    spectra = u.new_empty(blocks, points, 2, count)
    (found,) = numpy_of(spectra)

    def kernels(start: int, stop: int) -> None:
        fourier.spectrum(start, stop, version, kernel, turns, found)

    def products(start: int, stop: int) -> None:
        with scratch(((points, 2, count), u.dtype), ((4, count), u.dtype)) as memory:
            fourier.forward(start, stop, version, memory, inputs, found, turns, sizes, out)

    run_shared(kernels, blocks, taps.numel() * 8)
    run_shared(products, blocks * -(-batch // 2), u.numel() * 8)
    return y, spectra


def _backward(u: Tensor, taps: Tensor, spectra: Tensor | None, gy: Tensor) -> tuple[Tensor, Tensor]:
    """Return the gradients of u and of the kernel as `(l, d)`."""
    batch, length, width = u.shape
    count = lane_count(u.numpy().dtype)
    blocks = -(-width // count)
    groups = group_count(batch if spectra is None else -(-batch // 2), width, u.dtype)
    g_u, g_taps = torch.empty_like(u), u.new_empty(groups, length, width)
    inputs, kernel, given, *grads = numpy_of(u, taps[None], gy, g_u, g_taps)
    version = sources(vectors)
    if spectra is None:
        rows = -(-length // direct.TILE) * direct.TILE

        def sums(start: int, stop: int) -> None:
            with scratch(((5, rows, count), u.dtype)) as (memory,):
                direct.backward(
                    start, stop, version, memory, (inputs, kernel), given, tuple(grads)
                )  # fmt: skip

        run_shared(sums, blocks * groups, u.numel() * length // 8)
    else:
        points = spectra.shape[1]
        turns, sizes = _plan(points, u.dtype)
        (found,) = numpy_of(spectra)

        def products(start: int, stop: int) -> None:
            with scratch(((3, points, 2, count), u.dtype), ((4, count), u.dtype)) as memory:
                fourier.backward(
                    start, stop, version, memory, inputs, given, found, turns, sizes, tuple(grads)
                )  # fmt: skip

        run_shared(products, blocks * groups, u.numel() * 16)
    return g_u, g_taps[0] if groups == 1 else g_taps.sum(0)


def group_count(members: int, width: int, dtype: torch.dtype) -> int:
    """Return in how many groups sequences are taken for the gradient of a kernel.

    It is the same on every machine, and so is then the sum over groups.

    Args:
        members: Sequences, or pairs of them.
        width: Channels.
        dtype: Of the input.
    """
    blocks = -(-width * dtype.itemsize // LANE_BYTES)
    return min(members, -(-_GROUPS // blocks))


@cache
def transform_size(least: int) -> int:
    """Return the smallest transform length `>= least` that is `4^i` times 1, 2, 3 or 6.

    Example:
        >>> [transform_size(n) for n in (1, 9, 33, 1023, 4097)]
        [1, 12, 48, 1024, 6144]
    """
    sizes = [m * 4**i for i in range(least.bit_length()) for m in (1, 2, 3, 6)]
    return min(size for size in sizes if size >= least)


@cache
def _plan(points: int, dtype: torch.dtype) -> tuple[Any, Any]:
    """Return cosine, minus sine and sine of the angles of a transform, and the blocks it halves."""
    angle = torch.arange(points, dtype=torch.float64, device="cpu") * (2 * math.pi / points)
    turns = torch.stack([angle.cos(), -angle.sin(), angle.sin()], 1).to(dtype)
    sizes, size = [], points
    while size > 1:
        sizes.append(size)
        size //= 4 if size % 4 == 0 else 2 if size % 2 == 0 else 3
    return turns.numpy(), np.array(sizes, np.int64)

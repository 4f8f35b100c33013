"""Kernels of diagonal state spaces on the CPU: compiled loops behind `torch.autograd`."""

import math
from typing import Any

import torch
from jaxtyping import Complex, Float, Float64
from torch import Tensor

from timegrain.kernels import vectors
from timegrain.kernels.cache_key import sources
from timegrain.kernels.derivatives import first_only
from timegrain.kernels.lti.powers import numba_
from timegrain.kernels.lti.zoh import numba_ as zoh
from timegrain.kernels.plain import numpy_of, plain, saved
from timegrain.kernels.scratch import Wanted, scratch
from timegrain.kernels.threads import run_shared
from timegrain.kernels.vectors.lanes import LANE_BYTES

Modes = Float64[Tensor, "d 2 N"]
"""Real and imaginary part of each mode, with zeros up to a multiple of 8."""


def s4d_kernel_numba(
    delta_lambda: Complex[Tensor, "d n"], weight: Complex[Tensor, "d n"], length: int
) -> Float[Tensor, "d l"]:
    """Return the kernel; arguments are checked."""
    kernel: Tensor = _Powers.apply(delta_lambda, weight, length)
    return kernel


def zoh_kernel_numba(
    log_dt: Float[Tensor, " d"],
    log_decay: Float[Tensor, "d n"],
    frequency: Float[Tensor, "d n"],
    C: Float[Tensor, "d n 2"],
    skip: Float[Tensor, " d"] | None,
    ratio: float,
    length: int,
) -> Float[Tensor, "d l"]:
    """Return the kernel; arguments are checked and of one dtype, float32 or float64."""
    kernel: Tensor = _Held.apply(log_dt, log_decay, frequency, C, skip, ratio, length)
    return kernel


class _Powers(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, delta_lambda: Tensor, weight: Tensor, length: int) -> Tensor:
        z, w = (_rows(t) for t in (delta_lambda, weight))
        ctx.dtypes, ctx.modes = (delta_lambda.dtype, weight.dtype), weight.shape[1]
        ctx.save_for_backward(z, w)
        dtype = torch.promote_types(*ctx.dtypes).to_real()
        return sums_of_powers(z, w, None, ctx.modes, length, dtype)

    @staticmethod
    @first_only("s4d_kernel")
    def backward(ctx: Any, gK: Tensor) -> tuple[Tensor | None, ...]:
        z, w = saved(ctx)
        pairs = zip(gradients_of_sums(z, w, ctx.modes, plain(gK)), ctx.dtypes, strict=True)
        grads = [torch.complex(g[:, 0], g[:, 1])[:, : ctx.modes].to(dtype) for g, dtype in pairs]
        return (*grads, None)


class _Held(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *args: Any) -> Tensor:
        *tensors, skip, ctx.ratio, length = args
        parameters = [plain(t) for t in tensors]
        skip = None if skip is None else plain(skip)
        channels, modes = parameters[1].shape
        shape = 2, channels, 2, padded(modes)
        z, w = parameters[0].new_empty(shape, dtype=torch.float64)
        with scratch(((4, z.shape[2]), torch.float64)) as (rows,):
            zoh.forward(_version(), rows, ctx.ratio, numpy_of(*parameters), *numpy_of(z, w))
        ctx.has_skip = skip is not None
        ctx.save_for_backward(*parameters, z, w)
        return sums_of_powers(z, w, skip, modes, length, parameters[0].dtype)

    @staticmethod
    @first_only("zoh_kernel")
    def backward(ctx: Any, gK: Tensor) -> tuple[Tensor | None, ...]:
        *parameters, z, w = saved(ctx)
        gK = plain(gK)
        grads = [torch.empty_like(t) for t in parameters]
        through = gradients_of_sums(z, w, parameters[1].shape[1], gK)
        with scratch(((4, z.shape[2]), torch.float64)) as (rows,):
            arrays = numpy_of(*parameters), *numpy_of(*through), numpy_of(*grads)
            zoh.backward(_version(), rows, ctx.ratio, *arrays)
        return (*grads, gK[:, 0].contiguous() if ctx.has_skip else None, None, None)


def sums_of_powers(
    z: Modes,
    w: Modes,
    skip: Float[Tensor, " d"] | None,
    modes: int,
    length: int,
    dtype: torch.dtype,
) -> Float[Tensor, "d l"]:
    """Return `2 Re sum_n w_n exp(z_n l)`, with `skip` added to the first sample.

    Args:
        z: Exponents.
        w: Weights.
        skip: Per channel.
        modes: How many there are.
        length: Samples.
        dtype: Of the sums, float32 or float64; powers are in float64.
    """
    channels, _, padded = z.shape
    K = z.new_empty(channels, length, dtype=dtype)
    coarse, width = split(length, dtype)
    wanted: tuple[Wanted, ...] = (
        ((max(coarse, width), 2, 8), torch.float64),
        ((padded, 2, width), dtype),
        ((padded, coarse, 2), dtype),
        ((coarse, width), dtype),
    )
    arrays = numpy_of(z, w, z.new_empty(0, dtype=dtype) if skip is None else skip, K)
    version = _version()

    def task(start: int, stop: int) -> None:
        with scratch(*wanted) as memory:
            numba_.forward(start, stop, version, memory, modes, *arrays)

    run_shared(task, channels, channels * modes * length // 4)
    return K


def gradients_of_sums(
    z: Modes, w: Modes, modes: int, gK: Float[Tensor, "d l"]
) -> tuple[Modes, Modes]:
    """Return the gradients of exponents and weights, to real and imaginary part.

    Args:
        z: As in `sums_of_powers`.
        w: As in `sums_of_powers`.
        modes: As in `sums_of_powers`.
        gK: Gradient of the sums, contiguous.
    """
    channels, _, padded = z.shape
    coarse, width = split(gK.shape[1], gK.dtype)
    wanted: tuple[Wanted, ...] = (
        ((max(coarse, width), 2, 8), torch.float64),
        ((padded, 2, width), gK.dtype),
        ((padded, coarse, 4), gK.dtype),
        ((coarse, width), gK.dtype),
        ((width,), gK.dtype),
    )
    grads = torch.empty_like(z), torch.empty_like(w)
    arrays = *numpy_of(z, w, gK), numpy_of(*grads)
    version = _version()

    def task(start: int, stop: int) -> None:
        with scratch(*wanted) as memory:
            numba_.backward(start, stop, version, memory, modes, *arrays)

    run_shared(task, channels, channels * modes * gK.shape[1] // 2)
    return grads


def split(length: int, dtype: torch.dtype) -> tuple[int, int]:
    """Return how many coarse powers, a multiple of 4, and fine ones, of whole vectors, there are.

    Example:
        >>> split(1000, torch.float32), split(10, torch.float64)
        ((32, 32), (4, 8))
    """
    count = LANE_BYTES // dtype.itemsize
    width = -(-math.isqrt(length) // count) * count
    return -(-length // (4 * width)) * 4, width


def padded(modes: int) -> int:
    """Return how many modes there are memory for.

    Example:
        >>> padded(3), padded(16)
        (8, 16)
    """
    return -(-modes // 8) * 8


def _rows(values: Complex[Tensor, "d n"]) -> Modes:
    rows = torch.view_as_real(values.detach().resolve_conj()).mT
    missing = padded(values.shape[1]) - values.shape[1]
    return plain(torch.nn.functional.pad(rows.to(torch.float64), (0, missing)))


def _version() -> Any:
    return sources(vectors)

"""Kernel by matrix products and convolution by FFT, in torch operations."""

import math

import torch
from jaxtyping import Complex, Float
from torch import Tensor

from timegrain.kernels.fft_size import fft_size


def s4d_kernel_torch(
    delta_lambda: Complex[Tensor, "d n"], weight: Complex[Tensor, "d n"], length: int
) -> Float[Tensor, "d l"]:
    """Return the kernel from the powers of one row and one column of a `sqrt(l)` square.

    The powers are taken in float64 where the device has it: the phase `Im(delta_lambda) l` reaches
    thousands of radians, of which float32 would keep three digits.
    """
    fine = math.isqrt(length - 1) + 1
    coarse = -(-length // fine)
    wide = delta_lambda if delta_lambda.device.type == "mps" else delta_lambda.to(torch.complex128)
    result = torch.promote_types(delta_lambda.dtype, weight.dtype)
    real = wide.real.dtype
    steps = torch.arange(max(fine, coarse), device=wide.device, dtype=real)
    column = torch.exp(wide.unsqueeze(-1) * (steps[:fine])).to(result)
    row = torch.exp(wide.unsqueeze(-1) * (steps[:coarse] * fine)).to(result)
    row = row * (2 * weight.to(result)).unsqueeze(-1)
    # Re(row^T column), as one real product of twice the width
    left = torch.cat([row.real, -row.imag], 1)
    right = torch.cat([column.real, column.imag], 1)
    return (left.mT @ right).flatten(1)[:, :length]


def lti_conv_torch(u: Float[Tensor, "b l d"], K: Float[Tensor, "d k"]) -> Float[Tensor, "b l d"]:
    """Return the convolution through the frequency domain."""
    length = u.shape[1]
    if torch.jit.is_tracing():
        # the size of the transform is recorded: an index out of bounds refuses longer inputs
        u = u * u.new_ones(int(length), 1)[torch.arange(length, device=u.device)]
    K = K[:, :length]
    size = fft_size(length + K.shape[1] - 1)
    # the transform along the last, contiguous axis is twice as fast as along the middle one
    spectrum = torch.fft.rfft(u.mT.contiguous(), n=size) * torch.fft.rfft(K, n=size)
    return torch.fft.irfft(spectrum, n=size)[..., :length].mT

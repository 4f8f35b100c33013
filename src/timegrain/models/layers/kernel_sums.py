"""Sums over the past with a kernel that is linear in some features of the time difference."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from timegrain.kernels.fft_size import fft_size

MOST = 2**22
"""Numbers of one temporary: matrices of all channel pairs at once would take gigabytes."""


def convolved(
    x: Float[Tensor, "batch time in"],
    features: Float[Tensor, "lag feature"],
    readout: Float[Tensor, "out in feature"],
) -> Float[Tensor, "batch time out"]:
    r"""Return the causal convolution, by the Fourier transform of the features alone.

    Args:
        x: Input.
        features: Of lags 0, 1, ... in samples, no more of them than samples.
        readout: The kernel of a pair of channels is `readout . features`.

    Math:
        :math:`y_k = \sum_{j \le k} W \varphi_{k-j} x_j`; the transform is linear, so that that of
        the kernel is W times those of the features, of which there are fewer than channel pairs.

    Example:
        >>> x = torch.tensor([[[1.0], [0.0], [2.0]]])
        >>> convolved(x, torch.tensor([[1.0], [0.5]]), torch.ones(1, 1, 1)).round(decimals=4).mT
        tensor([[[1.0000, 0.5000, 2.0000]]])
    """
    time = x.shape[1]
    size = fft_size(time + features.shape[0] - 1)
    spectrum = torch.fft.rfft(x, n=size, dim=1)
    kernel = torch.fft.rfft(features, n=size, dim=0)
    block = max(MOST // (readout.shape[0] * readout.shape[1]), 1)
    parts = [
        _kept(_product, spectrum[:, k : k + block], kernel[k : k + block], readout)
        for k in range(0, size // 2 + 1, block)
    ]
    return torch.fft.irfft(torch.cat(parts, 1), n=size, dim=1)[:, :time]


def summed(
    x: Float[Tensor, "batch time in"],
    clock: Float[Tensor, "batch time"],
    features: Callable[[Tensor], Tensor],
    readout: Float[Tensor, "out in feature"],
) -> Float[Tensor, "batch time out"]:
    """Return the same sum over samples at any times, each lag of its own.

    Args:
        x: Input times its weight.
        clock: Times, ascending.
        features: From lags to features, zero where the kernel is and for negative ones.
        readout: As above.
    """
    batch, time, _ = x.shape
    rows = max(MOST // (batch * time * readout.shape[-1]), 1)

    def some(at: Tensor, past: Tensor, values: Tensor, readout: Tensor) -> Tensor:
        lags = at[:, :, None] - past[:, None]
        # equal times are those of one sample, or of padding behind it
        later = torch.ones_like(lags, dtype=torch.bool).triu(past.shape[1] - at.shape[1] + 1)
        seen = torch.einsum("bkjh,bji->bkhi", features(lags.masked_fill(later, -1.0)), values)
        return torch.einsum("oih,bkhi->bko", readout, seen)

    parts = []
    for k in range(0, time, rows):
        stop = min(k + rows, time)
        parts.append(_kept(some, clock[:, k:stop], clock[:, :stop], x[:, :stop], readout))
    return torch.cat(parts, 1)


def _product(spectrum: Tensor, kernel: Tensor, readout: Tensor) -> Tensor:
    """Return `W phi x` at some frequencies."""
    shape = readout.shape
    both = kernel @ readout.flatten(0, 1).T.to(kernel.dtype)
    return torch.einsum("foi,bfi->bfo", both.unflatten(-1, shape[:2]), spectrum)


def _kept(function: Callable[..., Tensor], *arguments: Tensor) -> Tensor:
    """Call a function, and again in the backward pass in the place of keeping what it made.

    Not under `torch.func`, which takes no saved tensors away.
    """
    mapped = torch._C._are_functorch_transforms_active()
    if torch.is_grad_enabled() and not (mapped or torch.jit.is_tracing()):
        result: Tensor = checkpoint(function, *arguments, use_reentrant=False)
        return result
    return function(*arguments)

"""The factors of a step with held inputs on the CPU: a compiled loop for their gradients.

The chain rule is some sixty operations on a few dozen numbers, which in torch take longer than the
scan of a short sequence. The values are few operations, and stay those of torch, so that a scan and
single steps share every bit.
"""

from typing import Any

import torch
from jaxtyping import Complex, Float
from torch import Tensor

from timegrain.kernels.derivatives import first_only
from timegrain.kernels.mimo.zoh import numba_
from timegrain.kernels.mimo.zoh.torch_ import zoh_factors_torch
from timegrain.kernels.plain import numpy_of, plain


def zoh_factors_numba(
    log_dt: Float[Tensor, " p"],
    log_decay: Float[Tensor, " p"],
    frequency: Float[Tensor, " p"],
    B: Float[Tensor, "p d 2"],
    ratio: float,
) -> tuple[Complex[Tensor, " p"], Complex[Tensor, "p d"]]:
    """Return the decay and the input weights; all of one precision."""
    tensors = (log_dt, log_decay, frequency, B)
    if torch.is_grad_enabled() and any(t.requires_grad for t in tensors):
        decay, into = _Factors.apply(*tensors, ratio)
        return decay, into
    return zoh_factors_torch(*tensors, ratio)


class _Factors(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *args: Any) -> tuple[Tensor, Tensor]:
        log_dt, log_decay, frequency, B, ctx.ratio = args
        ctx.save_for_backward(log_dt, log_decay, frequency, B)
        return zoh_factors_torch(log_dt, log_decay, frequency, B, ctx.ratio)

    @staticmethod
    @first_only("zoh_factors")
    def backward(ctx: Any, to_decay: Tensor, to_into: Tensor) -> tuple[Tensor | None, ...]:
        *poles, B = (plain(t) for t in ctx.saved_tensors)
        grads = [torch.empty_like(t) for t in (*poles, B)]
        parameters = numpy_of(*poles, torch.view_as_complex(B))
        upstream = numpy_of(plain(to_decay), plain(to_into))
        outputs = numpy_of(*grads[:3], torch.view_as_complex(grads[3]))
        numba_.backward(float(ctx.ratio), parameters, upstream, outputs)
        return (*grads, None)

"""The filter with held inputs as the composition that it is, in torch operations."""

from jaxtyping import Float
from torch import Tensor

from timegrain.kernels.lti.reference import lti_conv_reference
from timegrain.kernels.lti.torch_ import lti_conv_torch
from timegrain.kernels.lti.zoh.torch_ import zoh_kernel_reference, zoh_kernel_torch


def zoh_filter_torch(
    u: Float[Tensor, "b l d"],
    log_dt: Float[Tensor, " d"],
    log_decay: Float[Tensor, "d n"],
    frequency: Float[Tensor, "d n"],
    C: Float[Tensor, "d n 2"],
    skip: Float[Tensor, " d"] | None,
    ratio: float,
) -> Float[Tensor, "b l d"]:
    """Return the output by matrix products and FFT."""
    K = zoh_kernel_torch(log_dt, log_decay, frequency, C, skip, ratio, u.shape[1])
    return lti_conv_torch(u, K)


def zoh_filter_reference(
    u: Float[Tensor, "b l d"],
    log_dt: Float[Tensor, " d"],
    log_decay: Float[Tensor, "d n"],
    frequency: Float[Tensor, "d n"],
    C: Float[Tensor, "d n 2"],
    skip: Float[Tensor, " d"] | None,
    ratio: float,
) -> Float[Tensor, "b l d"]:
    """Return the output by loops over samples."""
    K = zoh_kernel_reference(log_dt, log_decay, frequency, C, skip, ratio, u.shape[1])
    return lti_conv_reference(u, K)

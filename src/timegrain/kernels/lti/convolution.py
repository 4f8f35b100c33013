"""`lti_conv`, the door."""

from jaxtyping import Float
from torch import Tensor

from timegrain.kernels.arguments import back_to_half, check_axes, compute_dtype
from timegrain.kernels.dispatch import Backend, choose, compiled_on_cpu
from timegrain.kernels.precision import full_precision

BACKENDS = (
    Backend(
        name="numba",
        target="timegrain.kernels.lti.fused:lti_conv_numba",
        usable=compiled_on_cpu,
    ),
    Backend(name="torch", target="timegrain.kernels.lti.torch_:lti_conv_torch"),
    Backend(
        name="reference",
        target="timegrain.kernels.lti.reference:lti_conv_reference",
        automatic=False,
    ),
)


def lti_conv(
    u: Float[Tensor, "b l d"], K: Float[Tensor, "d k"], *, backend: str = "auto"
) -> Float[Tensor, "b l d"]:
    r"""Convolve every channel with its kernel, causally.

    Args:
        u: Input, `(b, l, d)`, taken as zero before its first sample.
        K: Kernel, `(d, k)`; samples beyond `l` are not reached, absent ones count as zero.
        backend: `"auto"`, `"numba"` (CPU: sums up to 256 samples, then transforms), `"torch"` (FFT
            on any device, differentiable twice, needed under `torch.func`) or `"reference"` (a sum
            over the kernel's samples).

    Returns:
        `(b, l, d)`, with gradients to both. Half precision is computed in float32 and comes back in
        the dtype of u. The error of the FFT is relative to the largest value of the output's
        sequence, not to each sample; beside a sequence whose squares overflow, such as one of 1e38
        in float32, it may be some hundred times that.

    Raises:
        LayoutError: If a shape does not fit.
        ConfigError: If a tensor does not hold real floating-point numbers.

    Math:
        :math:`y_t = \sum_{s=0}^{t} K_s u_{t-s}`

    Example:
        >>> import torch
        >>> lti_conv(torch.ones(1, 3, 1), torch.tensor([[1.0, 10.0, 100.0]])).flatten().round()
        tensor([  1.,  11., 111.])
    """
    check_axes("lti_conv", {"u": (u, "b l d"), "K": (K, "d k")})
    dtype = compute_dtype("lti_conv", {"u": u, "K": K})
    run = choose("lti_conv", BACKENDS, backend, {"u": u, "K": K})
    with full_precision(u):
        y: Tensor = run(u.to(dtype), K.to(dtype))
    return back_to_half(y, u)

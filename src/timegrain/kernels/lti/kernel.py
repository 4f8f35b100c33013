"""`s4d_kernel`, the door."""

from jaxtyping import Complex, Float
from torch import Tensor

from timegrain.kernels.arguments import check_axes, check_complex, check_length
from timegrain.kernels.dispatch import Backend, choose, compiled_on_cpu
from timegrain.kernels.precision import full_precision

BACKENDS = (
    Backend(
        name="numba",
        target="timegrain.kernels.lti.powers.fused:s4d_kernel_numba",
        usable=compiled_on_cpu,
    ),
    Backend(name="torch", target="timegrain.kernels.lti.torch_:s4d_kernel_torch"),
    Backend(
        name="reference",
        target="timegrain.kernels.lti.reference:s4d_kernel_reference",
        automatic=False,
    ),
)


def s4d_kernel(
    delta_lambda: Complex[Tensor, "d n"],
    weight: Complex[Tensor, "d n"],
    length: int,
    *,
    backend: str = "auto",
) -> Float[Tensor, "d {length}"]:
    r"""Return the impulse response of a diagonal state space, sampled.

    Args:
        delta_lambda: Step times eigenvalue, `(d, n)`, one of each conjugate pair; real part <= 0.
        weight: Output weight times discretised input weight, `(d, n)`.
        length: Number of samples, >= 1.
        backend: `"auto"`, `"numba"` (CPU), `"torch"` (any device, differentiable twice, needed
            under `torch.func`) or `"reference"` (a loop over samples).

    Returns:
        The real kernel `(d, length)`, with gradients to both tensors. No `(d, n, length)` tensor is
        made: memory beside the result is `2 d n sqrt(length)` complex numbers.

    Raises:
        LayoutError: If the shapes differ.
        ConfigError: If a tensor is not complex, or `length` is outside `1..2^31 - 1`.

    Math:
        :math:`K_l = 2\,\mathrm{Re} \sum_n w_n e^{\Delta\lambda_n l}`. With `l = m a + b` the power
        is :math:`e^{\Delta\lambda m a} e^{\Delta\lambda b}`, so K is one product of two matrices
        a channel.

    Source:
        Gu, Gupta, Goel and Ré, On the Parameterization and Initialization of Diagonal State Space
        Models (2022, arXiv 2206.11893), eq. (7).

    Example:
        >>> import torch
        >>> s4d_kernel(torch.full((1, 1), -0.5 + 0j), torch.full((1, 1), 1 + 0j), 3)
        tensor([[2.0000, 1.2131, 0.7358]])
    """
    check_axes("s4d_kernel", {"delta_lambda": (delta_lambda, "d n"), "weight": (weight, "d n")})
    tensors = {"delta_lambda": delta_lambda, "weight": weight}
    check_complex("s4d_kernel", tensors)
    check_length("s4d_kernel", length)
    run = choose("s4d_kernel", BACKENDS, backend, tensors)
    with full_precision(delta_lambda):
        kernel: Tensor = run(delta_lambda, weight, length)
    return kernel

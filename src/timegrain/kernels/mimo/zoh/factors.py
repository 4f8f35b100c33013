"""`zoh_factors`, the door."""

from jaxtyping import Complex, Float
from torch import Tensor

from timegrain.kernels.dispatch import Backend, choose, compiled_on_cpu

_PLACE = "timegrain.kernels.mimo.zoh"
BACKENDS = (
    Backend(name="numba", target=f"{_PLACE}.fused:zoh_factors_numba", usable=compiled_on_cpu),
    Backend(name="torch", target=f"{_PLACE}.torch_:zoh_factors_torch"),
    Backend(name="reference", target=f"{_PLACE}.torch_:zoh_factors_reference", automatic=False),
)


def zoh_factors(
    log_dt: Float[Tensor, " p"],
    log_decay: Float[Tensor, " p"],
    frequency: Float[Tensor, " p"],
    B: Float[Tensor, "p d 2"],
    *,
    u: Float[Tensor, "b l d"],
    ratio: float = 1.0,
    backend: str = "auto",
) -> tuple[Complex[Tensor, " p"], Complex[Tensor, "p d"]]:
    r"""Return what a step with held inputs does, as `mimo_scan` wants it.

    Args:
        log_dt: Logarithm of the time scale of each mode, `(p,)`.
        log_decay: Logarithm of the rate at which each mode decays, `(p,)`.
        frequency: Imaginary part of each mode, `(p,)`.
        B: Input weights, real and imaginary part, `(p, d, 2)`; of one dtype with the others.
        u: The input that is scanned, by which the backend is chosen too.
        ratio: Step over the step in training, > 0.
        backend: `"auto"`, `"numba"` (CPU), `"torch"` or `"reference"`.

    Returns:
        The decay `(p,)` and the input weights of a step `(p, d)`, with gradients to the parameters.
        The numbers are the same on `"numba"` and `"torch"`.

    Math:
        :math:`e^z` and :math:`\Delta \varphi_1(z) B`, :math:`z = \lambda\Delta`,
        `lambda = -exp(log_decay) + i frequency`, `Delta = ratio exp(log_dt)`.

    Source:
        Smith, Warrington and Linderman, Simplified State Space Layers for Sequence Modeling (ICLR
        2023, arXiv 2208.04933), eq. (6).

    Example:
        >>> import torch
        >>> zero, B = torch.zeros(1), torch.tensor([[[1.0, 0.0]]])
        >>> zoh_factors(zero, zero, zero, B, u=torch.zeros(1, 1, 1))  # 1/e and 1 - 1/e
        (tensor([0.3679+0.j]), tensor([[0.6321+0.j]]))
    """
    tensors = {"u": u, "log_dt": log_dt, "log_decay": log_decay, "frequency": frequency, "B": B}
    run = choose("zoh_factors", BACKENDS, backend, tensors)
    decay, into = run(log_dt, log_decay, frequency, B, ratio)
    return decay, into

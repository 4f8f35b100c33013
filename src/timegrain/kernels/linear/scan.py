"""`linear_scan`, the door."""

import torch
from jaxtyping import Complex
from torch import Tensor

from timegrain.kernels.arguments import check_axes, check_complex
from timegrain.kernels.dispatch import Backend, choose, compiled_on_cpu

_PLACE = "timegrain.kernels.linear"
BACKENDS = (
    Backend(name="numba", target=f"{_PLACE}.fused:linear_scan_numba", usable=compiled_on_cpu),
    Backend(name="torch", target=f"{_PLACE}.torch_:linear_scan_torch"),
    Backend(name="reference", target=f"{_PLACE}.reference:linear_scan_reference", automatic=False),
)


def linear_scan(
    decay: Complex[Tensor, " p"] | Complex[Tensor, "b l p"],
    drive: Complex[Tensor, "b l p"],
    *,
    initial_state: Complex[Tensor, "b p"] | None = None,
    backend: str = "auto",
) -> Complex[Tensor, "b l p"]:
    r"""Return all states of a diagonal, complex recurrence.

    A step with decay 1 and drive 0 leaves the state exactly as it is.

    Args:
        decay: What a step leaves of the state: `(p,)`, the same at every step, or `(b, l, p)`.
        drive: What it adds, `(b, l, p)`.
        initial_state: State before the first step, `(b, p)`; zero if absent.
        backend: `"auto"`, `"numba"` (CPU), `"torch"` (any device, differentiable twice, needed
            under `torch.func`), or `"reference"` (a plain loop).

    Returns:
        `(b, l, p)`, the state after each step, with gradients to every tensor. The last one is the
        state to go on from.

    Raises:
        LayoutError: If a shape does not fit; the text names the argument.
        ConfigError: If a tensor is not complex, or the backend cannot run.

    Math:
        :math:`x_k = a_k x_{k-1} + b_k`

    Source:
        Smith, Warrington and Linderman, Simplified State Space Layers for Sequence Modeling (ICLR
        2023, arXiv 2208.04933), there as a parallel scan.

    Example:
        >>> import torch
        >>> half, one = torch.full((1,), 0.5 + 0j), torch.ones(1, 3, 1, dtype=torch.complex64)
        >>> linear_scan(half, one).real.flatten()
        tensor([1.0000, 1.5000, 1.7500])
    """
    axes = {
        "drive": (drive, "b l p"),
        "decay": (decay, "p" if getattr(decay, "ndim", None) == 1 else "b l p"),
        "initial_state": (initial_state, "b p"),
    }
    check_axes("linear_scan", axes, optional=("initial_state",), time_axes="b l p")
    tensors = {name: tensor for name, (tensor, _) in axes.items()}
    check_complex("linear_scan", tensors)
    dtype = torch.complex64
    for tensor in tensors.values():
        dtype = dtype if tensor is None else torch.promote_types(dtype, tensor.dtype)
    run = choose("linear_scan", BACKENDS, backend, tensors)
    state = drive.new_zeros(drive.shape[0], drive.shape[2], dtype=dtype)
    if initial_state is not None:
        state = initial_state.to(dtype)
    states: Tensor = run(decay.to(dtype), drive.to(dtype), state)
    return states

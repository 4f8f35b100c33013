"""`held_scan`, the door."""

import torch
from jaxtyping import Complex, Float
from torch import Tensor

from timegrain.kernels.arguments import check_axes, complex_dtypes
from timegrain.kernels.dispatch import Backend, choose, compiled_on_cpu

_PLACE = "timegrain.kernels.held"
BACKENDS = (
    Backend(name="numba", target=f"{_PLACE}.fused:held_scan_numba", usable=compiled_on_cpu),
    Backend(name="torch", target=f"{_PLACE}.torch_:held_scan_torch"),
    Backend(name="reference", target=f"{_PLACE}.reference:held_scan_reference", automatic=False),
)


def held_scan(
    drive: Complex[Tensor, "b l p"],
    z: Complex[Tensor, " p"],
    steps: Float[Tensor, "b l"] | Float[Tensor, " l"],
    *,
    initial_state: Complex[Tensor, "b p"] | None = None,
    backend: str = "auto",
) -> Complex[Tensor, "b l p"]:
    r"""Return all states of complex modes by zero-order hold, with a step that may vary.

    A step of 0 leaves the state exactly as it is. Where every step is the same, `linear_scan`
    does with its decay, and its input weight in the matrix that makes the drive.

    Args:
        drive: Input of each mode, held over the step that ends at its sample, `(b, l, p)`.
        z: Exponent of a step of ratio 1, eigenvalue times step, `(p,)`; real part <= 0, or 0.
        steps: Step ratio at each sample, `(b, l)` or `(l,)`, >= 0.
        initial_state: State before the first sample, `(b, p)`; zero if absent.
        backend: `"auto"`, `"numba"` (CPU), `"torch"` (any device, differentiable twice, needed
            under `torch.func`), or `"reference"` (a plain loop).

    Returns:
        `(b, l, p)`, the state after each step, in units of a step of ratio 1, with gradients to
        every tensor.

    Raises:
        LayoutError: If a shape does not fit; the text names the argument.
        ConfigError: If a dtype is outside its domain, or the backend cannot run.

    Math:
        :math:`x_k = e^{z s_k} x_{k-1} + \frac{e^{z s_k} - 1}{z} v_k`

    Source:
        Smith, Warrington and Linderman, Simplified State Space Layers for Sequence Modeling (ICLR
        2023, arXiv 2208.04933), the zero-order hold of diagonal dynamics.

    Example:
        >>> import torch
        >>> one = torch.ones(1, 3, 1, dtype=torch.complex64)
        >>> held_scan(one, 0 * one[0, 0], torch.tensor([1.0, 0.0, 2.0])).real.flatten()
        tensor([1., 1., 3.])
    """
    axes = {
        "drive": (drive, "b l p"),
        "z": (z, "p"),
        "steps": (steps, "l" if getattr(steps, "ndim", None) == 1 else "b l"),
        "initial_state": (initial_state, "b p"),
    }
    check_axes("held_scan", axes, optional=("initial_state",), time_axes="b l p")
    tensors = {name: tensor for name, (tensor, _) in axes.items()}
    real, kind = complex_dtypes("held_scan", tensors, ("drive", "z", "initial_state"))
    run = choose("held_scan", BACKENDS, backend, tensors)
    state = drive.new_zeros(drive.shape[0], drive.shape[2], dtype=kind)
    if initial_state is not None:
        state = initial_state.to(kind)
    states: Tensor = run(drive.to(kind), z.to(kind), torch.atleast_2d(steps.to(real)), state)
    return states

"""`diagonal_scan`, the door."""

from typing import Literal, overload

import torch
from jaxtyping import Complex, Float
from torch import Tensor

from timegrain.kernels.arguments import back_to_half, check_axes, check_flag, complex_dtypes
from timegrain.kernels.dispatch import Backend, choose, compiled_on_cpu
from timegrain.kernels.precision import full_precision

_PLACE = "timegrain.kernels.diagonal"
BACKENDS = (
    Backend(name="numba", target=f"{_PLACE}.fused:diagonal_scan_numba", usable=compiled_on_cpu),
    Backend(name="torch", target=f"{_PLACE}.torch_:diagonal_scan_torch"),
    Backend(
        name="reference", target=f"{_PLACE}.reference:diagonal_scan_reference", automatic=False
    ),
)


@overload
def diagonal_scan(
    u: Tensor,
    delta: Tensor,
    Lambda: Tensor,
    C: Tensor,
    *,
    steps: Tensor | None = None,
    initial_state: Tensor | None = None,
    return_state: Literal[False] = False,
    backend: str = "auto",
) -> Tensor: ...
@overload
def diagonal_scan(
    u: Tensor,
    delta: Tensor,
    Lambda: Tensor,
    C: Tensor,
    *,
    steps: Tensor | None = None,
    initial_state: Tensor | None = None,
    return_state: Literal[True],
    backend: str = "auto",
) -> tuple[Tensor, Tensor]: ...
def diagonal_scan(
    u: Float[Tensor, "b l d"],
    delta: Float[Tensor, " d"],
    Lambda: Complex[Tensor, "d n"],
    C: Complex[Tensor, "d n"],
    *,
    steps: Float[Tensor, "b l"] | Float[Tensor, " l"] | None = None,
    initial_state: Complex[Tensor, "b d n"] | None = None,
    return_state: bool = False,
    backend: str = "auto",
) -> Float[Tensor, "b l d"] | tuple[Float[Tensor, "b l d"], Complex[Tensor, "b d n"]]:
    r"""Scan a diagonal, complex state space by zero-order hold, with a step that may vary.

    With `steps` absent this is the convolution of u with
    `s4d_kernel(delta * Lambda, C * (exp(delta * Lambda) - 1) / Lambda, l)`.
    A step of 0 leaves the state exactly as it is.

    Args:
        u: Input, `(b, l, d)`.
        delta: Step of each channel, `(d,)`, in the unit of `1/Lambda`.
        Lambda: Eigenvalues, `(d, n)`, one of each conjugate pair; real part <= 0, which is not
            checked: a mode with a positive one grows without bound. 0 is allowed.
        C: Output weights, `(d, n)`; the input weights are 1.
        steps: Step ratio at each sample, `(b, l)` or `(l,)`, >= 0; 1 if absent.
        initial_state: Complex state before the first sample, `(b, d, n)`; zero if absent.
        return_state: Also return the state after the last sample.
        backend: `"auto"`, `"numba"` (CPU), `"torch"` (any device, differentiable twice, needed
            under `torch.func`), or `"reference"` (a plain loop).

    Returns:
        y of shape `(b, l, d)`; with `return_state` also the last state, complex `(b, d, n)`. Half
        precision is computed in float32; y comes back in the dtype of u, the state does not.

    Raises:
        LayoutError: If a shape does not fit; the text names the argument.
        ConfigError: If a dtype is outside its domain, or the backend cannot run.

    Math:
        .. math::
            x_k = e^{\lambda\Delta s_k} x_{k-1} + \frac{e^{\lambda\Delta s_k} - 1}{\lambda} u_k,
            \qquad y_k = 2\,\mathrm{Re}\sum_n C_n x_{k,n}

    Source:
        Gu, Gupta, Goel and Ré, On the Parameterization and Initialization of Diagonal State Space
        Models (2022, arXiv 2206.11893), eq. (6).

    Example:
        >>> import torch
        >>> u, zero = torch.ones(1, 3, 1), torch.zeros(1, 1, dtype=torch.complex64)
        >>> steps = torch.tensor([1.0, 0.0, 2.0])
        >>> diagonal_scan(u, torch.ones(1), zero, zero + 1, steps=steps).flatten()
        tensor([2., 2., 6.])
    """
    sequence = "l" if getattr(steps, "ndim", None) == 1 else "b l"
    axes = {
        "u": (u, "b l d"),
        "delta": (delta, "d"),
        "Lambda": (Lambda, "d n"),
        "C": (C, "d n"),
        "steps": (steps, sequence),
        "initial_state": (initial_state, "b d n"),
    }
    check_axes("diagonal_scan", axes, optional=("steps", "initial_state"))
    check_flag("diagonal_scan", "return_state", return_state)
    tensors = {name: tensor for name, (tensor, _) in axes.items()}
    real, complex_ = complex_dtypes("diagonal_scan", tensors, ("Lambda", "C", "initial_state"))
    run = choose("diagonal_scan", BACKENDS, backend, tensors)
    ratio = None if steps is None else torch.atleast_2d(steps.to(real))
    state = u.new_zeros(1, dtype=complex_).expand(u.shape[0], *Lambda.shape)
    if initial_state is not None:
        state = initial_state.to(complex_)
    weights, eigenvalues = C.to(complex_), Lambda.to(complex_)
    with full_precision(u):
        y, last = run(u.to(real), delta.to(real), eigenvalues, weights, ratio, state)
    y = back_to_half(y, u)
    return (y, last) if return_state else y

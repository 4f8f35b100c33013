"""`dplr_scan`, the door."""

import torch
from jaxtyping import Complex, Float
from torch import Tensor

from timegrain.kernels.arguments import back_to_half, check_axes, check_complex, compute_dtype
from timegrain.kernels.dispatch import Backend, choose, compiled_on_cpu
from timegrain.kernels.precision import full_precision

_PLACE = "timegrain.kernels.dplr"
BACKENDS = (
    Backend(name="numba", target=f"{_PLACE}.fused:dplr_scan_numba", usable=compiled_on_cpu),
    Backend(name="torch", target=f"{_PLACE}.torch_:dplr_scan_torch"),
    Backend(name="reference", target=f"{_PLACE}.reference:dplr_scan_reference", automatic=False),
)


def dplr_scan(
    u: Float[Tensor, "b l d"],
    delta: Float[Tensor, " d"],
    Lambda: Complex[Tensor, "d n"],
    P: Complex[Tensor, "d n"],
    B: Complex[Tensor, "d n"],
    C: Complex[Tensor, "d n"],
    *,
    steps: Float[Tensor, "b l"] | None = None,
    initial_state: Complex[Tensor, "b d n"] | None = None,
    backend: str = "auto",
) -> tuple[Float[Tensor, "b l d"], Complex[Tensor, "b d n"]]:
    r"""Scan a diagonal plus low rank state space by the bilinear rule, with steps that may vary.

    A step of 0 leaves the state exactly as it is. Each step costs O(n).

    Args:
        u: Input, `(b, l, d)`.
        delta: Step of each channel, `(d,)`, in the unit of `1/Lambda`.
        Lambda: Diagonal, `(d, n)`, one of each conjugate pair; real part <= 0.
        P: Low rank, `(d, n)`, one of each pair.
        B: Input weights, `(d, n)`.
        C: Output weights, `(d, n)`.
        steps: Step ratio at each sample, `(b, l)`, >= 0; 1 if absent.
        initial_state: Complex state before the first sample, `(b, d, n)`; zero if absent.
        backend: `"auto"`, `"numba"` (CPU), `"torch"` (any device, differentiable twice, needed
            under `torch.func`) or `"reference"` (a step after another).

    Returns:
        y of shape `(b, l, d)` in the dtype of u, and the last state, complex `(b, d, n)`. Half
        precision is computed in float32.

    Raises:
        LayoutError: If a shape does not fit; the text names the argument.
        ConfigError: If a dtype is outside its domain, or the backend cannot run.

    Math:
        With `A = diag(Lambda) - P P*` over both of each pair and `h = delta s_k / 2`,
        :math:`(I - hA) x_k = (I + hA) x_{k-1} + 2h B u_k`, `y_k = 2 Re(C . x_k)`. As
        `x_k = 2r - x_{k-1}`, `r = (I - hA)^{-1} (x_{k-1} + h B u_k)`, and with
        :math:`R = (I - h\Lambda)^{-1}`
        :math:`(I - hA)^{-1} = R - \frac{h}{1 + h P^* R P} R P P^* R` (Woodbury).

    Source:
        Gu, Goel, Re, Efficiently Modeling Long Sequences with Structured State Spaces (2021, arXiv
        2111.00396), eq. (3) and theorem 2.
    """
    axes = {
        "u": (u, "b l d"),
        "delta": (delta, "d"),
        "Lambda": (Lambda, "d n"),
        "P": (P, "d n"),
        "B": (B, "d n"),
        "C": (C, "d n"),
        "steps": (steps, "b l"),
        "initial_state": (initial_state, "b d n"),
    }
    check_axes("dplr_scan", axes, optional=("steps", "initial_state"))
    tensors = {name: tensor for name, (tensor, _) in axes.items()}
    complex_ = ("Lambda", "P", "B", "C", "initial_state")
    given = {name: tensors[name] for name in complex_}
    check_complex("dplr_scan", given)
    parts = {n: t.real if t is not None and n in given else t for n, t in tensors.items()}
    real = compute_dtype("dplr_scan", parts)
    wide = torch.promote_types(real, torch.complex64)
    run = choose("dplr_scan", BACKENDS, backend, tensors)
    state = u.new_zeros(1, dtype=wide).expand(u.shape[0], *Lambda.shape)
    if initial_state is not None:
        state = initial_state.to(wide)
    ratio = u.new_ones(1, u.shape[1], dtype=real) if steps is None else steps.to(real)
    with full_precision(u):
        weights = (t.to(wide) for t in (Lambda, P, B, C))
        y, last = run(u.to(real), delta.to(real), *weights, ratio, state)
    y = back_to_half(y, u)
    return y, last

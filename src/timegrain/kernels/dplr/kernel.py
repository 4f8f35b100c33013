"""`dplr_kernel`, the door."""

import torch
from jaxtyping import Complex, Float
from torch import Tensor

from timegrain.kernels.arguments import check_axes, check_complex, check_length, compute_dtype
from timegrain.kernels.dispatch import Backend, choose, compiled_on_cpu
from timegrain.kernels.dplr.contour import contour
from timegrain.kernels.precision import full_precision

_PLACE = "timegrain.kernels.dplr.woodbury"
BACKENDS = (
    Backend(
        name="numba", target=f"{_PLACE}.fused:generating_function_numba", usable=compiled_on_cpu
    ),
    Backend(name="torch", target=f"{_PLACE}.torch_:generating_function_torch"),
    Backend(
        name="reference",
        target=f"{_PLACE}.torch_:generating_function_reference",
        automatic=False,
    ),
)


def dplr_kernel(
    delta: Float[Tensor, " d"],
    Lambda: Complex[Tensor, "d n"],
    P: Complex[Tensor, "d n"],
    B: Complex[Tensor, "d n"],
    C: Complex[Tensor, "d n"],
    length: int,
    *,
    backend: str = "auto",
) -> Float[Tensor, "d {length}"]:
    r"""Return what a diagonal plus low rank state space answers a pulse with, by the bilinear rule.

    The generating function is a rational function of four sums of simple fractions. It is sampled
    on a circle `|z| = r < 1` instead of at roots of unity: there the whole, infinite kernel is
    needed, so that C need not be corrected for the length (`C (I - Abar^L)` in the paper), any
    length can be asked for, and the sums meet no pole.

    Args:
        delta: Step of each channel, `(d,)`, in the unit of `1/Lambda`; > 0, which is not looked
            at, since the device would be waited for.
        Lambda: Diagonal, `(d, n)`, one of each conjugate pair; real part <= 0.
        P: Low rank, `(d, n)`.
        B: Input weights, `(d, n)`.
        C: Output weights, `(d, n)`.
        length: Number of samples, >= 1.
        backend: `"auto"`, `"numba"` (CPU), `"torch"` (any device, differentiable twice) or
            `"reference"` (every fraction of `cauchy_pairs` in memory).

    Returns:
        The real kernel `(d, length)`, with gradients to every tensor. It is computed in double
        precision (on the CPU for a device without it), to about 1e-9 of its largest values where
        the tensors are in single precision, else to rounding. Memory beside it is four complex
        tensors `(d, length)`, or `(d, 4 length)` in double precision.

    Raises:
        LayoutError: If the shapes differ.
        ConfigError: If a weight is not complex, `delta` is not real, or `length` is outside
            `1..2^31 - 1`.

    Math:
        With `A = diag(Lambda) - P P*` and `g = 2 (1-z)/(1+z)`, the bilinear `Abar` and `Bbar` give
        :math:`\sum_l C \bar A^l \bar B z^l = \frac{2}{1+z} C (g/\Delta - A)^{-1} B`
        :math:`= \frac{2}{1+z} \left(S_{CB} - \frac{S_{CP} S_{P^*B}}{1 + S_{P^*P}}\right)`,
        :math:`S_{XY} = X (g/\Delta - \Lambda)^{-1} Y` (Woodbury).

    Source:
        Gu, Goel, Re, Efficiently Modeling Long Sequences with Structured State Spaces (2021, arXiv
        2111.00396), algorithm 1 and appendix C.3, at roots of unity there; Lubich, Convolution
        Quadrature and Discretized Operational Calculus (1988), part II, for the circle.

    Example:
        >>> one, none = torch.ones(1, 1, dtype=torch.complex64), torch.zeros(1, 1) + 0j
        >>> dplr_kernel(torch.full((1,), 0.5), -one, none, one, one, 3)
        tensor([[0.8000, 0.4800, 0.2880]])
    """
    axes = {
        "delta": (delta, "d"),
        "Lambda": (Lambda, "d n"),
        "P": (P, "d n"),
        "B": (B, "d n"),
        "C": (C, "d n"),
    }
    check_axes("dplr_kernel", axes, time_axes="d n")
    check_complex("dplr_kernel", {"Lambda": Lambda, "P": P, "B": B, "C": C})
    compute_dtype("dplr_kernel", {"delta": delta})
    check_length("dplr_kernel", length)
    circle = contour(length, Lambda.dtype == torch.complex128)
    device = torch.device("cpu") if Lambda.device.type == "mps" else Lambda.device
    step, poles, p, b, c = (
        t.to(device, torch.complex128) for t in (delta[:, None], Lambda, P, B, C)
    )
    nodes, front, growth = (torch.from_numpy(a).to(device) for a in circle[1:])
    p, b = step.sqrt() * p, step * b
    tensors = {"delta": step, "Lambda": poles, "P": p, "B": b, "C": c}
    run = choose("dplr_kernel", BACKENDS, backend, tensors)
    with full_precision(Lambda):
        weights = torch.stack([c * b, c * p, p.conj() * b, p.conj() * p], 1)
        values = run(weights, step * poles, nodes, front)
        kernel = torch.fft.irfft(values, n=circle.size)[:, :length] * growth
    return kernel.to(Lambda.device, Lambda.real.dtype)

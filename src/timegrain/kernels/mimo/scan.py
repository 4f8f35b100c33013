"""`mimo_scan`, the door."""

from typing import Literal, overload

import torch
from jaxtyping import Complex, Float, Int
from torch import Tensor

from timegrain.core.errors import ConfigError
from timegrain.kernels.arguments import back_to_half, check_axes, check_flag, complex_dtypes
from timegrain.kernels.dispatch import Backend, choose, compiled_on_cpu
from timegrain.kernels.precision import full_precision

_PLACE = "timegrain.kernels.mimo"
BACKENDS = (
    Backend(name="numba", target=f"{_PLACE}.fused:mimo_scan_numba", usable=compiled_on_cpu),
    Backend(name="torch", target=f"{_PLACE}.torch_:mimo_scan_torch"),
    Backend(name="reference", target=f"{_PLACE}.reference:mimo_scan_reference", automatic=False),
)


@overload
def mimo_scan(
    u: Tensor,
    decay: Tensor,
    B: Tensor,
    C: Tensor,
    D: Tensor | None = None,
    *,
    initial_state: Tensor | None = None,
    counts: Tensor | None = None,
    return_state: Literal[False] = False,
    backend: str = "auto",
) -> Tensor: ...
@overload
def mimo_scan(
    u: Tensor,
    decay: Tensor,
    B: Tensor,
    C: Tensor,
    D: Tensor | None = None,
    *,
    initial_state: Tensor | None = None,
    counts: Tensor | None = None,
    return_state: Literal[True],
    backend: str = "auto",
) -> tuple[Tensor, Tensor]: ...
def mimo_scan(
    u: Float[Tensor, "b l d"],
    decay: Complex[Tensor, " p"],
    B: Complex[Tensor, "p d"],
    C: Complex[Tensor, "d p"],
    D: Float[Tensor, " d"] | None = None,
    *,
    initial_state: Complex[Tensor, "b p"] | None = None,
    counts: Int[Tensor, " b"] | None = None,
    return_state: bool = False,
    backend: str = "auto",
) -> Float[Tensor, "b l d"] | tuple[Float[Tensor, "b l d"], Complex[Tensor, "b p"]]:
    r"""Scan one diagonal, complex state space that all channels drive and read.

    Args:
        u: Input, `(b, l, d)`.
        decay: What a step leaves of each mode, `(p,)`; one mode of each conjugate pair.
        B: Input weights of a step, `(p, d)`.
        C: Output weights, `(d, p)`.
        D: Weight of the input in the output, `(d,)`.
        initial_state: Complex state before the first sample, `(b, p)`; zero if absent.
        counts: Samples after which the state is asked for, `(b,)`, each in `0..l`; l if absent.
        return_state: Also return that state.
        backend: `"auto"`, `"numba"` (CPU), `"torch"` (any device, differentiable twice, needed
            under `torch.func`), or `"reference"` (a plain loop).

    Returns:
        y of shape `(b, l, d)`; with `return_state` also a state, complex `(b, p)`. Both carry
        gradients to every tensor argument. Half precision is computed in float32; y comes back in
        the dtype of u, the state does not.

    Raises:
        LayoutError: If a shape does not fit; the text names the argument.
        ConfigError: If a dtype is outside its domain, a count on the CPU is, or the backend cannot
            run.

    Math:
        :math:`x_k = a x_{k-1} + B u_k`, :math:`y_k = 2\,\mathrm{Re}(C x_k) + D u_k`

    Source:
        Smith, Warrington and Linderman, Simplified State Space Layers for Sequence Modeling (ICLR
        2023, arXiv 2208.04933), the S5 layer with conjugate symmetry.

    Example:
        >>> import torch
        >>> one = torch.ones(1, 1, dtype=torch.complex64)
        >>> mimo_scan(torch.ones(1, 3, 1), one[0] / 2, one, one).flatten()
        tensor([2.0000, 3.0000, 3.5000])
    """
    axes = {
        "u": (u, "b l d"),
        "decay": (decay, "p"),
        "B": (B, "p d"),
        "C": (C, "d p"),
        "D": (D, "d"),
        "initial_state": (initial_state, "b p"),
        "counts": (counts, "b"),
    }
    check_axes("mimo_scan", axes, optional=("D", "initial_state", "counts"))
    check_flag("mimo_scan", "return_state", return_state)
    tensors = {name: tensor for name, (tensor, _) in axes.items()}
    counts = None if counts is None else _whole_counts(counts, u.shape[1])
    modes = ("decay", "B", "C", "initial_state")
    real, kind = complex_dtypes("mimo_scan", {**tensors, "counts": None}, modes)
    run = choose("mimo_scan", BACKENDS, backend, tensors)
    state = u.new_zeros(u.shape[0], decay.shape[0], dtype=kind)
    if initial_state is not None:
        state = initial_state.to(kind)
    skip = None if D is None else D.to(real)
    with full_precision(u):
        y, last = run(u.to(real), decay.to(kind), B.to(kind), C.to(kind), skip, state, counts)
    y = back_to_half(y, u)
    return (y, last) if return_state else y


def _whole_counts(counts: Tensor, length: int) -> Tensor:
    """Return the counts as int64; values are looked at where no device has to be waited for."""
    if counts.is_floating_point() or counts.is_complex() or counts.dtype == torch.bool:
        raise ConfigError("mimo_scan() counts samples", got=counts.dtype, expected="whole numbers")
    counts = counts.long()
    recorded = torch.compiler.is_compiling() or torch.jit.is_tracing()
    if recorded or counts.device.type != "cpu" or torch._C._are_functorch_transforms_active():
        return counts
    low, high = (int(count) for count in counts.aminmax())
    if low < 0 or high > length:
        raise ConfigError(
            "mimo_scan() counts samples", got=f"{low}..{high}", expected=f"0..{length}"
        )
    return counts

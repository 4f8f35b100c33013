"""`selective_scan`, the door: checks, one dtype, and the backend."""

from typing import Literal, overload

from jaxtyping import Float
from torch import Tensor

from timegrain.core.errors import ConfigError
from timegrain.kernels.arguments import back_to_half, cast, check_axes, check_flag, compute_dtype
from timegrain.kernels.dispatch import Backend, choose, compiled_on_cpu
from timegrain.kernels.precision import full_precision

_PLACE = "timegrain.kernels.selective"
BACKENDS = (
    Backend(name="numba", target=f"{_PLACE}.fused:selective_scan_numba", usable=compiled_on_cpu),
    Backend(name="torch", target=f"{_PLACE}.torch_:selective_scan_torch"),
    Backend(
        name="reference", target=f"{_PLACE}.reference:selective_scan_reference", automatic=False
    ),
)


@overload
def selective_scan(
    u: Tensor,
    delta: Tensor,
    A: Tensor,
    B: Tensor,
    C: Tensor,
    D: Tensor | None = None,
    *,
    discretization: str = "euler_b",
    initial_state: Tensor | None = None,
    return_state: Literal[False] = False,
    backend: str = "auto",
) -> Tensor: ...
@overload
def selective_scan(
    u: Tensor,
    delta: Tensor,
    A: Tensor,
    B: Tensor,
    C: Tensor,
    D: Tensor | None = None,
    *,
    discretization: str = "euler_b",
    initial_state: Tensor | None = None,
    return_state: Literal[True],
    backend: str = "auto",
) -> tuple[Tensor, Tensor]: ...
def selective_scan(
    u: Float[Tensor, "b l d"],
    delta: Float[Tensor, "b l d"],
    A: Float[Tensor, "d n"],
    B: Float[Tensor, "b l n"],
    C: Float[Tensor, "b l n"],
    D: Float[Tensor, " d"] | None = None,
    *,
    discretization: str = "euler_b",
    initial_state: Float[Tensor, "b d n"] | None = None,
    return_state: bool = False,
    backend: str = "auto",
) -> Float[Tensor, "b l d"] | tuple[Float[Tensor, "b l d"], Float[Tensor, "b d n"]]:
    r"""Scan a diagonal state space whose step and weights follow the input.

    A step with `delta = 0` leaves the state exactly as it is: padding is frozen that way. Note the
    layout: time before channels. Mamba's own functions take `(b, d, l)`.

    Args:
        u: Input, `(b, l, d)`.
        delta: Step of every channel at every sample, `(b, l, d)`, in units of `1/A`; usually > 0.
        A: Real diagonal of the state matrix, `(d, n)`; below 0 for a system that forgets.
        B: Input weights, `(b, l, n)`.
        C: Output weights, `(b, l, n)`.
        D: Weight of the input in the output, `(d,)`.
        discretization: `"euler_b"`, as in Mamba's code, or `"zoh"`, exact for a held input.
        initial_state: State before the first sample, `(b, d, n)`; zero if absent.
        return_state: Also return the state after the last sample.
        backend: `"auto"`, `"numba"` (CPU), `"torch"` (any device, differentiable twice, needed
            under `torch.func`), or `"reference"` (a plain loop).

    Returns:
        y of shape `(b, l, d)`; with `return_state` also the last state `(b, d, n)`. Both carry
        gradients to every tensor argument; where there are fewer sequences than threads, the
        rounding of those of B and C depends on the number of threads. Half precision is computed in
        float32: y comes back in the dtype of u, the state stays float32 so that a carried state
        loses nothing.

    Raises:
        LayoutError: If a shape does not fit; the text names the argument.
        ConfigError: If an option or dtype is outside its domain, or the backend cannot run.

    Math:
        .. math::
            h_k = e^{\Delta_k A} h_{k-1} + \bar B_k u_k, \qquad y_k = C_k \cdot h_k + D u_k,

        with :math:`\bar B_k = \Delta_k B_k` (`euler_b`) or
        :math:`\bar B_k = (e^{\Delta_k A} - 1) A^{-1} B_k` (`zoh`).

    Source:
        Gu and Dao, Mamba: Linear-Time Sequence Modeling with Selective State Spaces (2023, arXiv
        2312.00752), eq. (2), (4) and algorithm 2.

    Example:
        >>> import torch
        >>> one = torch.ones(1, 3, 1)
        >>> selective_scan(one, one, torch.zeros(1, 1), one, one).flatten()
        tensor([1., 2., 3.])
    """
    if discretization not in ("euler_b", "zoh"):
        raise ConfigError(
            "selective_scan() does not know this discretization",
            got=repr(discretization),
            expected="'euler_b' or 'zoh'",
        )
    axes = {
        "u": (u, "b l d"),
        "delta": (delta, "b l d"),
        "A": (A, "d n"),
        "B": (B, "b l n"),
        "C": (C, "b l n"),
        "D": (D, "d"),
        "initial_state": (initial_state, "b d n"),
    }
    check_axes("selective_scan", axes, optional=("D", "initial_state"))
    check_flag("selective_scan", "return_state", return_state)
    tensors = {name: tensor for name, (tensor, _) in axes.items()}
    dtype = compute_dtype("selective_scan", tensors)
    run = choose("selective_scan", BACKENDS, backend, tensors)
    with full_precision(u):
        y, state = run(*cast(list(tensors.values()), dtype), discretization)
    y = back_to_half(y, u)
    return (y, state) if return_state else y

"""`zoh_filter`, the door."""

import torch
from jaxtyping import Float
from torch import Tensor

from timegrain.kernels.arguments import back_to_half, cast, check_axes, compute_dtype
from timegrain.kernels.dispatch import Backend, choose, compiled_on_cpu
from timegrain.kernels.lti.zoh.kernel import check_parts, positive_ratio
from timegrain.kernels.precision import full_precision

BACKENDS = (
    Backend(
        name="numba",
        target="timegrain.kernels.lti.filter.fused:zoh_filter_numba",
        usable=compiled_on_cpu,
    ),
    Backend(name="torch", target="timegrain.kernels.lti.filter.torch_:zoh_filter_torch"),
    Backend(
        name="reference",
        target="timegrain.kernels.lti.filter.torch_:zoh_filter_reference",
        automatic=False,
    ),
)

_MOST = 1000
_seen: dict[object, torch.dtype] = {}
"""What calls that were found right looked like from outside, and the dtype they compute in."""


def zoh_filter(
    u: Float[Tensor, "b l d"],
    log_dt: Float[Tensor, " d"],
    log_decay: Float[Tensor, "d n"],
    frequency: Float[Tensor, "d n"],
    C: Float[Tensor, "d n 2"],
    *,
    ratio: float = 1.0,
    skip: Float[Tensor, " d"] | None = None,
    backend: str = "auto",
) -> Float[Tensor, "b l d"]:
    r"""Filter every channel with a diagonal state space whose input is held over each step.

    It is `lti_conv(u, zoh_kernel(...))`; short sequences are one node of the graph.

    Args:
        u: Input, taken as zero before its first sample.
        log_dt: Logarithm of the time scale of each channel.
        log_decay: Logarithm of the rate at which each mode decays.
        frequency: Imaginary part of each mode.
        C: Output weights, real and imaginary part.
        ratio: Step over the step in training, > 0.
        skip: Weight of the input in the output.
        backend: `"auto"`, `"numba"` (CPU), `"torch"` (any device, differentiable twice, needed
            under `torch.func`) or `"reference"` (loops over samples).

    Returns:
        `(b, l, d)`, with gradients to all tensors. Half precision is computed in float32 and comes
        back in the dtype of u.

    Raises:
        LayoutError: If a shape does not fit.
        ConfigError: If a tensor does not hold real floating-point numbers, or `ratio` is no
            positive, finite number.

    Math:
        :math:`y = K * u` with K as in `zoh_kernel`.

    Source:
        Gu, Gupta, Goel and Ré, On the Parameterization and Initialization of Diagonal State Space
        Models (2022, arXiv 2206.11893), eq. (6) and (7).

    Example:
        >>> import torch
        >>> zero, one = torch.zeros(1, 1), torch.tensor([[[1.0, 0.0]]])
        >>> u = torch.tensor([1.0, 0.0, 0.0]).view(1, 3, 1)
        >>> zoh_filter(u, zero[0], zero, zero, one).flatten()  # 2 (1 - 1/e) e^-l
        tensor([1.2642, 0.4651, 0.1711])
    """
    axes = {
        "u": (u, "b l d"),
        "log_dt": (log_dt, "d"),
        "log_decay": (log_decay, "d n"),
        "frequency": (frequency, "d n"),
        "C": (C, "d n two"),
        "skip": (skip, "d"),
    }
    tensors = {name: tensor for name, (tensor, _) in axes.items()}
    # looking all of this over anew costs as much as a short filter
    tracing = torch.compiler.is_compiling() or torch.jit.is_tracing()
    seen = () if tracing else tuple([_outside(tensor) for tensor in tensors.values()])
    dtype = None if tracing else _seen.get(seen)
    if dtype is None:
        check_axes("zoh_filter", axes, optional=("skip",))
        check_parts("zoh_filter", C)
        dtype = compute_dtype("zoh_filter", tensors)
        if len(_seen) >= _MOST:
            _seen.clear()
        if not tracing:
            _seen[seen] = dtype
    ratio = positive_ratio("zoh_filter", ratio)
    run = choose("zoh_filter", BACKENDS, backend, tensors)
    with full_precision(u):
        y: Tensor = run(*cast(list(tensors.values()), dtype), ratio)
    return back_to_half(y, u)


def _outside(tensor: object) -> object:
    """Return all of a tensor that checks look at."""
    if not isinstance(tensor, Tensor) or tensor.is_nested:
        return type(tensor)
    return tensor.shape, tensor.dtype, tensor.device, tensor.layout

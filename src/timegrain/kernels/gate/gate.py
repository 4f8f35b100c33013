"""`silu_gate`, the door: checks, one dtype, and the backend."""

from jaxtyping import Float
from torch import Tensor

from timegrain.kernels.arguments import back_to_half, cast, check_axes, compute_dtype
from timegrain.kernels.dispatch import Backend, choose, compiled_on_cpu

_PLACE = "timegrain.kernels.gate"
BACKENDS = (
    Backend(
        name="numba",
        target=f"{_PLACE}.fused:silu_gate_numba",
        usable=compiled_on_cpu,
        least=1 << 15,
    ),
    Backend(name="torch", target=f"{_PLACE}.torch_:silu_gate_torch"),
    Backend(name="reference", target=f"{_PLACE}.reference:silu_gate_reference", automatic=False),
)


def silu_gate(
    y: Float[Tensor, "b l d"], z: Float[Tensor, "b l d"], *, backend: str = "auto"
) -> Float[Tensor, "b l d"]:
    r"""Return `y z sigmoid(z)`, in one pass over memory where it can be.

    Args:
        y: What is gated, `(b, l, d)`.
        z: What decides, `(b, l, d)`; it may be a part of a wider tensor.
        backend: `"auto"`, `"numba"` (CPU, from 32,768 numbers on), `"torch"` (any
            device, differentiable twice, needed under `torch.func`), or `"reference"`.

    Returns:
        The product, in the wider dtype of the two. Half precision is computed in float32, and a y
        of half precision comes back in its dtype.

    Raises:
        LayoutError: If the shapes do not fit.
        ConfigError: If a dtype is no real one, or the backend cannot run.

    Source:
        Gu and Dao, Mamba: Linear-Time Sequence Modeling with Selective State Spaces (2023, arXiv
        2312.00752), section 3.4 and figure 3.

    Example:
        >>> import torch
        >>> silu_gate(torch.ones(1, 1, 2), torch.tensor([[[0.0, 100.0]]])).tolist()
        [[[0.0, 100.0]]]
    """
    check_axes("silu_gate", {"y": (y, "b l d"), "z": (z, "b l d")})
    tensors = {"y": y, "z": z}
    dtype = compute_dtype("silu_gate", tensors)
    run = choose("silu_gate", BACKENDS, backend, tensors)
    out: Tensor = run(*cast([y, z], dtype))
    return back_to_half(out, y)

"""`glu_sum`, the door: checks, one dtype, and the backend."""

from jaxtyping import Float
from torch import Tensor

from timegrain.core.errors import LayoutError
from timegrain.kernels.arguments import cast, check_axes, compute_dtype
from timegrain.kernels.dispatch import Backend, choose, compiled_on_cpu

_PLACE = "timegrain.kernels.glu"
BACKENDS = (
    Backend(name="numba", target=f"{_PLACE}.fused:glu_sum_numba", usable=compiled_on_cpu),
    Backend(name="torch", target=f"{_PLACE}.torch_:glu_sum_torch"),
    Backend(name="reference", target=f"{_PLACE}.reference:glu_sum_reference", automatic=False),
)


def glu_sum(
    h: Float[Tensor, "b l d"], z: Float[Tensor, "b l two_d"], *, backend: str = "auto"
) -> Float[Tensor, "b l d"]:
    r"""Return `h + GLU(z)`, in one pass over memory where it can be.

    Args:
        h: What the unit is added to, `(b, l, d)`.
        z: `(b, l, 2 d)`: what is let through, then what decides.
        backend: `"auto"`, `"numba"` (CPU), `"torch"` (any device, differentiable twice, needed
            under `torch.func`) or `"reference"`.

    Returns:
        The sum, in the dtype of h; half precision is computed in float32.

    Raises:
        LayoutError: If a shape does not fit.
        ConfigError: If a tensor does not hold real floating-point numbers.

    Math:
        :math:`h + a\,\sigma(b)`, `z = [a, b]`.

    Source:
        Dauphin et al., Language Modeling with Gated Convolutional Networks (ICML 2017), eq. (1).

    Example:
        >>> import torch
        >>> glu_sum(torch.ones(1, 1, 1), torch.tensor([[[4.0, 0.0]]]))
        tensor([[[3.]]])
    """
    check_axes("glu_sum", {"h": (h, "b l d"), "z": (z, "b l two_d")})
    if z.shape[2] != 2 * h.shape[2]:
        raise LayoutError(
            "glu_sum() needs two numbers of z for each of h",
            got=f"z of shape {tuple(z.shape)}",
            expected=f"{(*h.shape[:2], 2 * h.shape[2])}",
        )
    dtype = compute_dtype("glu_sum", {"h": h, "z": z})
    run = choose("glu_sum", BACKENDS, backend, {"h": h, "z": z})
    out: Tensor = run(*cast([h, z], dtype))
    return out.to(h.dtype) if h.dtype.itemsize == 2 else out

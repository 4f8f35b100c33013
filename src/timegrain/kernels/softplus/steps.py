"""`softplus_steps`, the door: checks, one dtype, and the backend."""

from collections.abc import Mapping

from jaxtyping import Float
from torch import Tensor

from timegrain.kernels.arguments import cast, check_axes, compute_dtype
from timegrain.kernels.dispatch import Backend, choose, compiled_on_cpu


def _compiled(tensors: Mapping[str, Tensor]) -> tuple[bool, str]:
    ratio = tensors.get("ratio")
    if ratio is not None and ratio.requires_grad:
        return False, "ratio needs a gradient, which the compiled loops do not give"
    return compiled_on_cpu(tensors)


_PLACE = "timegrain.kernels.softplus"
BACKENDS = (
    Backend(
        name="numba",
        target=f"{_PLACE}.fused:softplus_steps_numba",
        usable=_compiled,
        least=1 << 15,
    ),
    Backend(name="torch", target=f"{_PLACE}.torch_:softplus_steps_torch"),
    Backend(
        name="reference", target=f"{_PLACE}.reference:softplus_steps_reference", automatic=False
    ),
)


def softplus_steps(
    x: Float[Tensor, "b l d"],
    ratio: Float[Tensor, "b l"] | None = None,
    *,
    backend: str = "auto",
) -> Float[Tensor, "b l d"]:
    r"""Return `s log(1 + exp(x))`: a positive time scale, times the step that was told.

    Args:
        x: Any real numbers, `(b, l, d)`.
        ratio: s, `(b, l)`; zero freezes a scan at that sample. Absent: ones.
        backend: `"auto"`, `"numba"` (CPU, from 32,768 numbers on; no gradient to `ratio`),
            `"torch"` (any device, differentiable twice, needed under `torch.func`), or
            `"reference"`.

    Returns:
        The time scales, in float32 at least.

    Raises:
        LayoutError: If a shape does not fit.
        ConfigError: If a dtype is no real one, or the backend cannot run.

    Source:
        Gu and Dao, Mamba: Linear-Time Sequence Modeling with Selective State Spaces (2023, arXiv
        2312.00752), section 3.2 and algorithm 2, for `Delta`.

    Example:
        >>> import torch
        >>> softplus_steps(torch.zeros(1, 2, 1), torch.tensor([[1.0, 2.0]])).flatten()
        tensor([0.6931, 1.3863])
    """
    axes = {"x": (x, "b l d"), "ratio": (ratio, "b l")}
    check_axes("softplus_steps", axes, optional=("ratio",))
    tensors = {"x": x, "ratio": ratio}
    dtype = compute_dtype("softplus_steps", tensors)
    run = choose("softplus_steps", BACKENDS, backend, tensors)
    out: Tensor = run(*cast([x, ratio], dtype))
    return out

"""`cauchy_pairs`, the door."""

import torch
from jaxtyping import Complex
from torch import Tensor

from timegrain.kernels.arguments import check_axes, check_complex
from timegrain.kernels.dispatch import Backend, choose, compiled_on_cpu
from timegrain.kernels.precision import full_precision

_PLACE = "timegrain.kernels.cauchy"
BACKENDS = (
    Backend(name="numba", target=f"{_PLACE}.fused:cauchy_pairs_numba", usable=compiled_on_cpu),
    Backend(name="torch", target=f"{_PLACE}.torch_:cauchy_pairs_torch"),
    Backend(name="reference", target=f"{_PLACE}.reference:cauchy_pairs_reference", automatic=False),
)


def cauchy_pairs(
    weights: Complex[Tensor, "d r n"],
    poles: Complex[Tensor, "d n"],
    nodes: Complex[Tensor, " m"],
    *,
    backend: str = "auto",
) -> Complex[Tensor, "d r m"]:
    r"""Return `r` sums of simple fractions over conjugate pairs of poles, at every node.

    Args:
        weights: Numerators, `(d, r, n)`, of one of each pair.
        poles: `(d, n)`, one of each pair.
        nodes: Where the sums are wanted, `(m,)`, none of them a pole; they get no gradient.
        backend: `"auto"`, `"numba"` (CPU, in double precision), `"torch"` (any device,
            differentiable twice) or `"reference"` (every fraction in memory).

    Returns:
        `(d, r, m)`, with gradients to weights and poles. But for the reference, no tensor
        `(d, n, m)` is made.

    Raises:
        LayoutError: If a shape does not fit; the text names the argument.
        ConfigError: If a tensor is not complex, or the backend cannot run.

    Math:
        :math:`S_r(g) = \sum_n \frac{w_{rn}}{g - z_n} + \frac{\bar w_{rn}}{g - \bar z_n}`

    Source:
        Gu, Goel, Re, Efficiently Modeling Long Sequences with Structured State Spaces (2021, arXiv
        2111.00396), section 3.2 and algorithm 1, step 2.

    Example:
        >>> import torch
        >>> w, z = torch.ones(1, 1, 1) + 1j, torch.full((1, 1), -1 + 2j)
        >>> cauchy_pairs(w, z, torch.tensor([0j, 1 + 0j]))
        tensor([[[-0.4000+0.j,  0.0000+0.j]]])
    """
    axes = {"weights": (weights, "d r n"), "poles": (poles, "d n"), "nodes": (nodes, "m")}
    check_axes("cauchy_pairs", axes, time_axes="d r n")
    tensors = {name: tensor for name, (tensor, _) in axes.items()}
    check_complex("cauchy_pairs", tensors)
    dtype = torch.promote_types(weights.dtype, poles.dtype)
    dtype = torch.promote_types(dtype, nodes.dtype)
    run = choose("cauchy_pairs", BACKENDS, backend, tensors)
    with full_precision(weights):
        sums: Tensor = run(weights.to(dtype), poles.to(dtype), nodes.to(dtype))
    return sums

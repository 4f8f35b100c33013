"""The sums as one tensor of all fractions: the specification."""

import torch
from jaxtyping import Complex
from torch import Tensor


def cauchy_pairs_reference(
    weights: Complex[Tensor, "d r n"], poles: Complex[Tensor, "d n"], nodes: Complex[Tensor, " m"]
) -> Complex[Tensor, "d r m"]:
    """Return the sums; memory is two tensors `(d, r, n, m)`."""
    right = nodes - poles.unsqueeze(-1)
    left = nodes - poles.conj().unsqueeze(-1)
    w = weights.unsqueeze(-1)
    terms: Tensor = w / right.unsqueeze(1) + w.conj() / left.unsqueeze(1)
    return torch.sum(terms, 2)

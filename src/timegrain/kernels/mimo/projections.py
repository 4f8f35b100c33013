"""Complex matrices on either side of a recurrence, as real products; and the state that is kept."""

import torch
from jaxtyping import Complex, Float
from torch import Tensor
from torch.nn import functional as F


def project(
    x: Float[Tensor, "*batch channel"], weight: Complex[Tensor, "mode channel"]
) -> Complex[Tensor, "*batch mode"]:
    """Return `W x`, as one real product with the rows of both parts.

    Example:
        >>> project(torch.ones(2), torch.tensor([[1.0 + 2j, 3.0]]))
        tensor([4.+2.j])
    """
    parts = F.linear(x, torch.view_as_real(weight.resolve_conj()).mT.flatten(0, 1))
    return torch.view_as_complex(parts.unflatten(-1, (-1, 2)))


def read(
    states: Complex[Tensor, "*batch mode"], C: Complex[Tensor, "channel mode"]
) -> Float[Tensor, "*batch channel"]:
    """Return `2 Re(C x)`, as one real product.

    Example:
        >>> read(torch.tensor([1.0 + 2j]), torch.tensor([[1j], [1.0]]))
        tensor([-4.,  2.])
    """
    rows = torch.view_as_real((2 * C).conj_physical()).flatten(-2)
    return F.linear(torch.view_as_real(states).flatten(-2), rows)


def last_of(values: Tensor, before: Tensor, counts: Tensor | None) -> Tensor:
    """Return the last of `counts` values of each sequence, or what was there before if none.

    It has memory of its own: a state that is kept must not keep the whole sequence.

    Args:
        values: `(b, l, ...)`.
        before: `(b, ...)`.
        counts: `(b,)`, each in `0..l`; None is l.

    Example:
        >>> values = torch.arange(6.0).view(2, 3, 1)
        >>> last_of(values, torch.full((2, 1), 9.0), torch.tensor([2, 0])).flatten()
        tensor([1., 9.])
    """
    if counts is None:
        return values[:, -1].clone()
    at = values[torch.arange(len(values), device=values.device), (counts - 1).clamp(min=0)]
    return torch.where(counts[:, None] > 0, at, before)

"""Channels shared out to heads, and vectors of a fixed length in them."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from timegrain.core.errors import ConfigError
from timegrain.models.options import positive_int

MOST_HEADS, LEAST_WIDTH = 4, 8  # where nothing is said
_EPSILON = 1e-6  # under the root: a zero vector stays one, with a finite gradient


def shared_out(widths: dict[str, int], n_heads: int | None) -> int:
    """Return a number of heads that divides every width: the one asked for, or the most up to 4.

    Where none is asked for, heads are 8 channels wide or wider, or there is one: a unit vector of
    one channel is a sign, which no step makes continuous.

    Args:
        widths: Channels to share out, by what they are.
        n_heads: Asked for; None where nothing is.

    Raises:
        ConfigError: If it does not divide them.

    Example:
        >>> shared_out({"keys": 32, "values": 64}, None), shared_out({"values": 6}, None)
        (4, 1)
    """

    def fits(count: int) -> bool:
        return all(width % count == 0 for width in widths.values())

    if n_heads is None:
        most = max(min(MOST_HEADS, min(widths.values()) // LEAST_WIDTH), 1)
        return next(count for count in range(most, 0, -1) if fits(count))
    if not fits(positive_int("n_heads", n_heads)):
        given = ", ".join(f"{width} {what}" for what, width in widths.items())
        least = min(n_heads, *widths.values())
        near = next(count for count in range(least, 0, -1) if fits(count))
        raise ConfigError(
            "the channels cannot be shared out to heads",
            got=f"n_heads={n_heads} for {given}",
            hint=f"n_heads={near}",
        )
    return n_heads


def unit(x: Float[Tensor, "*batch width"]) -> Float[Tensor, "*batch width"]:
    """Return vectors of length one, zero where they are zero.

    Example:
        >>> unit(torch.tensor([3.0, 4.0])).round(decimals=4)
        tensor([0.6000, 0.8000])
    """
    return x * torch.rsqrt(x.square().sum(-1, keepdim=True) + _EPSILON)


def projection(d_input: int, d_output: int, *, bias: bool = False) -> nn.Linear:
    """Return a linear layer with weights of Xavier's variance."""
    linear = nn.Linear(d_input, d_output, bias=bias)
    nn.init.xavier_uniform_(linear.weight)
    if bias:
        nn.init.zeros_(linear.bias)
    return linear


def read_norm(width: int) -> nn.RMSNorm:
    """Return the norm of what queries read.

    Its epsilon is far below the usual 1e-5: states begin at zero, and on a grid of step `tau` what
    is read first has the size of `tau`. Where an epsilon outweighs its square, the outputs of the
    first steps depend on the grid.
    """
    return nn.RMSNorm(width, eps=1e-18)

"""How attention knows where in time a sample is: sinusoids and rotations."""

import torch
from jaxtyping import Float
from torch import Tensor

BASE = 10_000.0


def sinusoids(
    positions: Float[Tensor, "batch time"], d_model: int
) -> Float[Tensor, "batch time channel"]:
    r"""Return sines and cosines of positions at wavelengths from 2 pi to 10,000 times that.

    Args:
        positions: Any real numbers; whole ones in the source.
        d_model: Channels; where it is odd, the last is a sine.

    Math:
        `P_{p, 2i} = sin(p / 10000^{2i / d_model})`, `P_{p, 2i+1} = cos(p / 10000^{2i / d_model})`.

    Source:
        Vaswani et al., Attention Is All You Need (NeurIPS 2017), section 3.5.

    Example:
        >>> sinusoids(torch.tensor([[0.0]]), 4)
        tensor([[[0., 1., 0., 1.]]])
    """
    angle = _angles(positions, d_model)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(-2)[..., :d_model]


def rotations(
    positions: Float[Tensor, "batch time"], width: int
) -> tuple[Float[Tensor, "batch time half"], Float[Tensor, "batch time half"]]:
    """Return cosine and sine by which `rotated` turns each pair of channels at each position.

    Args:
        positions: Any real numbers; whole ones in the source.
        width: Channels to turn, an even number.
    """
    angle = _angles(positions, width)
    return angle.cos(), angle.sin()


def rotated(
    x: Float[Tensor, "batch head time width"], cos: Tensor, sin: Tensor
) -> Float[Tensor, "batch head time width"]:
    r"""Return queries or keys turned by their positions, so that products see differences alone.

    Args:
        x: `(batch, head, time, width)`.
        cos: As from `rotations`, `(batch, time, width / 2)`.
        sin: Likewise.

    Math:
        Channels `(2i, 2i+1)` are turned by `p / 10000^{2i / width}`.

    Source:
        Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding (2021, arXiv
        2104.09864), eqs. (14), (15) and (34).
    """
    one, other = x[..., 0::2], x[..., 1::2]
    cos, sin = cos[:, None].to(x.dtype), sin[:, None].to(x.dtype)
    return torch.stack([one * cos - other * sin, one * sin + other * cos], -1).flatten(-2)


def _angles(positions: Tensor, width: int) -> Tensor:
    pairs = torch.arange(0, width, 2, device=positions.device, dtype=positions.dtype)
    return positions[..., None] * BASE ** (-pairs / width)

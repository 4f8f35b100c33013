"""B2S6: S6 in blocks of channels that select for themselves, with a bias for B in each channel."""

import math
from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor, nn

from timegrain.kernels.softplus.exact import exact_softplus
from timegrain.models.layer import Sequences
from timegrain.models.layers.heads import shared_out
from timegrain.models.layers.matrix_state import MatrixState, Ratio, Selected
from timegrain.models.options import flag, positive_int, step_range


class B2S6(MatrixState):
    r"""S6 whose channels come in blocks, each with a `Delta`, B and C of its own input alone.

    Args:
        d_model: Channels.
        skip: Whether to add `D u`.
        n_state: States per channel.
        n_blocks: Blocks; None for the most, up to 4, of 8 channels or more.
        rank: Of the projection to `Delta` in a block; None for `max(block // 16, 1)`, as in S6.
        dt_min: Smallest initial `softplus(bias)`, in steps of the training grid.
        dt_max: Largest.

    Raises:
        ConfigError: If an option is outside its domain.

    Math:
        In each block `(low, B, C) = W u`, `Delta = s_k softplus(V low + b)`; in each channel
        `h_k = exp(Delta A) h_{k-1} + Delta (B + B') u_k`, `y_k = C . h_k + D u_k`,
        `A = -(1..n_state)` and `B' ~ N(0, 1)` at the start. With one block and `B' = 0` it is S6.
        `tau` enters as `Delta -> s_k Delta`.

    Source:
        Yu, Erichson, Block-Biased Mamba for Long-Range Sequence Processing (NeurIPS 2025, arXiv
        2505.09022): dynamics selected in blocks, and a bias of B for each channel that no input
        changes. The size of the bias at the start, the low rank of `Delta`, and B by Euler's
        rule are our choices, the latter two as in S6: its equations were not at hand to compare.

    Example:
        >>> layer = B2S6(16, n_state=4)
        >>> y, state = layer.scan(torch.randn(2, 30, 16))
        >>> y.shape, layer.n_blocks, state.shape
        (torch.Size([2, 30, 16]), 2, torch.Size([2, 16, 4, 1]))
    """

    conv = None

    def __init__(
        self,
        d_model: int,
        *,
        skip: bool = True,
        n_state: int = 16,
        n_blocks: int | None = None,
        rank: int | None = None,
        dt_min: float = 0.001,
        dt_max: float = 0.1,
    ) -> None:
        super().__init__(d_model)
        self.n_state = positive_int("n_state", n_state)
        self.n_blocks = shared_out({"channels": d_model}, n_blocks)
        width = d_model // self.n_blocks
        self.rank = max(width // 16, 1) if rank is None else positive_int("rank", rank)
        self.state_shape = (d_model, n_state, 1)
        low, high = (math.log(dt) for dt in step_range(dt_min, dt_max))
        self.x_proj = _uniform(self.n_blocks, self.rank + 2 * n_state, width)
        self.dt_proj = _uniform(self.n_blocks, width, self.rank)
        dt = torch.exp(low + (high - low) * torch.rand(d_model))
        self.dt_bias = nn.Parameter(dt + torch.log(-torch.expm1(-dt)))  # inverse of softplus
        self.A_log = nn.Parameter(torch.log(torch.arange(1.0, n_state + 1)).repeat(d_model, 1))
        self.B_bias = nn.Parameter(torch.randn(d_model, n_state))
        self.D = nn.Parameter(torch.ones(d_model)) if flag("skip", skip) else None

    def dynamics_parameters(self) -> Iterator[nn.Parameter]:
        """Iterate A and what makes `Delta` from its low-rank projection, which set time scales."""
        yield from (self.A_log, self.dt_proj, self.dt_bias)

    def _project(self, x: Sequences) -> Sequences:
        return x

    def _select(self, x: Sequences, u: Sequences, ratio: Ratio) -> Selected:
        made = torch.einsum("blgi,goi->blgo", u.unflatten(-1, (self.n_blocks, -1)), self.x_proj)
        low, B, C = made.split([self.rank, self.n_state, self.n_state], dim=-1)
        raw = torch.einsum("blgr,gir->blgi", low.to(self.dt_proj.dtype), self.dt_proj).flatten(2)
        raw = raw.to(torch.promote_types(raw.dtype, torch.float32))
        delta = exact_softplus(raw + self.dt_bias) * ratio
        width = self.d_model // self.n_blocks
        k = B.repeat_interleave(width, 2) + self.B_bias
        log_gate = -self.A_log.exp() * delta[..., None]
        v = (delta * u.to(delta.dtype)).to(u.dtype)[..., None]
        return Selected(C.repeat_interleave(width, 2), k, v, log_gate, None, u)

    def _read(
        self, y: Float[Tensor, "batch time head value"], x: Sequences, chosen: Selected
    ) -> Sequences:
        out = y[..., 0]
        return (out if self.D is None else out + self.D * x).to(x.dtype)


def _uniform(blocks: int, d_output: int, d_input: int) -> nn.Parameter:
    bound = d_input**-0.5
    return nn.Parameter(torch.empty(blocks, d_output, d_input).uniform_(-bound, bound))

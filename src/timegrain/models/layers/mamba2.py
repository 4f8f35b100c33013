"""Mamba-2: a matrix state per head with one decay, behind a short convolution, and a gated norm."""

import math
import numbers
from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from timegrain.core.errors import ConfigError
from timegrain.models.layer import Sequences
from timegrain.models.layers.heads import shared_out
from timegrain.models.layers.matrix_state import MatrixState, Ratio, Selected
from timegrain.models.layers.scalar_gate import ScalarGate
from timegrain.models.layers.short_convolution import ShortConvolution
from timegrain.models.options import flag, positive_int, positive_real, shown


class Mamba2(MatrixState):
    r"""Mamba-2's block: projection, short convolution, state space duality, gated norm, projection.

    Args:
        d_model: Channels.
        skip: Whether to add `D v`.
        expand: Inner channels per channel.
        n_state: States per inner channel.
        n_heads: Heads, each with one decay; None for the most, up to 4, of 8 inner channels or more
            (the authors' heads have 64).
        n_groups: Groups of heads that share B and C; it divides `n_heads`.
        d_conv: Samples that the short convolution spans.
        dt_min: Smallest initial `softplus(bias)`, in steps of the training grid.
        dt_max: Largest.
        dt_limit: Least and largest `Delta`, in steps of the training grid, the largest perhaps
            infinite; None for any.
        bias: Whether the two outer projections have one (that of `Delta` always has).
        conv_bias: Whether the short convolution has one.
        norm_eps: Of the gated norm.

    Raises:
        ConfigError: If an option is outside its domain.

    Math:
        `(z, v, B, C) = W_in x`, `(v, B, C) = silu(conv(.))`, `Delta = s softplus(w x + b)`,
        `S_k = exp(-exp(a) Delta_k) S_{k-1} + Delta_k B_k v_k'`, in each head
        `y_k = S_k' C_k + D v_k`, and `W_out norm(y silu(z))`. `tau` enters as
        `Delta -> s_k Delta`, behind the limit; the short convolution counts samples and cannot be
        told.

    Source:
        Dao, Gu, Transformers are SSMs: Generalized Models and Efficient Algorithms Through
        Structured State Space Duality (ICML 2024, arXiv 2405.21060): section 5 for the scan,
        section 7 and figure 6 for the block; weights at the start and the place of the norm as in
        the authors' code (state-spaces/mamba, modules/mamba2.py).

    Example:
        >>> layer = Mamba2(8, n_state=16)
        >>> y, (inputs, state) = layer.scan(torch.randn(2, 30, 8), tau=0.5)
        >>> y.shape, inputs.shape, state.shape
        (torch.Size([2, 30, 8]), torch.Size([2, 3, 48]), torch.Size([2, 2, 16, 8]))
    """

    conv: ShortConvolution

    def __init__(
        self,
        d_model: int,
        *,
        skip: bool = True,
        expand: int = 2,
        n_state: int = 64,
        n_heads: int | None = None,
        n_groups: int = 1,
        d_conv: int = 4,
        dt_min: float = 0.001,
        dt_max: float = 0.1,
        dt_limit: tuple[float, float] | None = None,
        bias: bool = False,
        conv_bias: bool = True,
        norm_eps: float = 1e-5,
    ) -> None:
        super().__init__(d_model)
        self.inner = positive_int("expand", expand) * d_model
        self.n_state = positive_int("n_state", n_state)
        self.n_heads = shared_out({"inner channels": self.inner}, n_heads)
        self.n_groups = grouped(self.n_heads, n_groups)
        self.state_shape = (self.n_heads, n_state, self.inner // self.n_heads)
        shared = 2 * self.n_groups * n_state
        self.in_proj = nn.Linear(d_model, 2 * self.inner + shared, bias=flag("bias", bias))
        self.conv = ShortConvolution(
            self.inner + shared, positive_int("d_conv", d_conv), bias=flag("conv_bias", conv_bias)
        )
        self.forget = ScalarGate(d_model, self.n_heads, dt_min=dt_min, dt_max=dt_max)
        self.dt_limit = None if dt_limit is None else step_limit("dt_limit", dt_limit)
        self.D = nn.Parameter(torch.ones(self.n_heads)) if flag("skip", skip) else None
        self.norm = nn.RMSNorm(self.inner, eps=positive_real("norm_eps", norm_eps))
        self.out_proj = nn.Linear(self.inner, d_model, bias=bias)

    def dynamics_parameters(self) -> Iterator[nn.Parameter]:
        """Iterate the decays and what makes `Delta`."""
        return self.forget.parameters()

    def _project(self, x: Sequences) -> Sequences:
        raw: Tensor = self.in_proj(x)
        return raw[..., self.inner :]

    def _select(self, x: Sequences, u: Sequences, ratio: Ratio) -> Selected:
        shared = self.n_groups * self.n_state
        v, B, C = u.split([self.inner, shared, shared], dim=-1)
        B, C = (part.unflatten(-1, (self.n_groups, -1)) for part in (B, C))
        v = v.unflatten(-1, (self.n_heads, -1))
        delta = self.forget.delta(x)
        if self.dt_limit is not None:
            delta = delta.clamp(*self.dt_limit)
        delta = delta * ratio
        log_gate = -self.forget.A_log.exp() * delta
        return Selected(C, B, v * delta[..., None].to(v.dtype), log_gate, None, v)

    def _read(
        self, y: Float[Tensor, "batch time head value"], x: Sequences, chosen: Selected
    ) -> Sequences:
        if self.D is not None and chosen.passed is not None:
            y = y + self.D[:, None] * chosen.passed
        bias = self.in_proj.bias
        z = F.linear(
            x, self.in_proj.weight[: self.inner], None if bias is None else bias[: self.inner]
        )
        gated = y.flatten(2).to(self.norm.weight.dtype) * F.silu(z)
        out: Tensor = self.out_proj(self.norm(gated).to(x.dtype))
        return out


def grouped(n_heads: int, n_groups: object) -> int:
    """Return the number of groups, which divides that of heads.

    Raises:
        ConfigError: If it does not.
    """
    groups = positive_int("n_groups", n_groups)
    if n_heads % groups:
        fitting = ", ".join(str(n) for n in range(1, n_heads + 1) if n_heads % n == 0)
        raise ConfigError(
            "heads share B and C in groups of one size",
            got=f"n_groups={groups} for {n_heads} heads",
            expected=f"one of {fitting}",
        )
    return groups


def step_limit(name: str, limit: object) -> tuple[float, float]:
    """Return the least and the largest `Delta`, `0 <= least <= largest`, the largest above zero.

    Raises:
        ConfigError: If they are not.

    Example:
        >>> step_limit("dt_limit", [0, math.inf])
        (0.0, inf)
    """
    pair = list(limit) if isinstance(limit, list | tuple) else []
    real = [isinstance(v, numbers.Real) and not isinstance(v, bool) for v in pair]
    right = len(pair) == 2 and all(real) and 0 <= pair[0] <= pair[1]
    if not right or pair[0] == math.inf or pair[1] == 0:
        raise ConfigError(
            f"{name} bounds Delta",
            got=shown(limit),
            expected="(least, largest), 0 <= least <= largest, the largest above 0",
        )
    return float(pair[0]), float(pair[1])

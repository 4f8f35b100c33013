"""Mamba: a selective state space layer behind a short convolution, and a gate."""

import math
from collections.abc import Iterator
from functools import cached_property
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from timegrain.kernels.gate.gate import silu_gate
from timegrain.models.layer import SequenceLayer, Sequences
from timegrain.models.layers.s6 import S6
from timegrain.models.layers.short_convolution import ShortConvolution
from timegrain.models.options import flag, positive_int
from timegrain.models.state import State
from timegrain.models.state_form import Form, Part
from timegrain.models.steps import Steps

MambaState = tuple[Tensor, State]


class Mamba(SequenceLayer):
    r"""Mamba's block: projection, short convolution, S6, gate, projection.

    Args:
        d_model: Channels.
        skip: Whether to add `D u` in the S6.
        expand: Inner channels per channel.
        d_conv: Samples that the short convolution spans.
        n_state: States per inner channel.
        rank: Of the projection to `Delta`; None for `ceil(d_model / 16)`.
        dt_min: Smallest initial `softplus(bias)`, as in `S6`.
        dt_max: Largest.
        discretization: Of B, as in `S6`.
        bias: Whether the two outer projections have one.
        conv_bias: Whether the short convolution has one.
        norm_eps: Of norms of what makes `Delta`, of B and of C, as in `S6`; None for no norms.

    Raises:
        ConfigError: If an option is outside its domain.

    Math:
        `(u, z) = W_in x`, `v_k = silu(b + sum_{j<d_conv} w_j u_{k-d_conv+1+j})`,
        `y = W_out (S6(v) silu(z))`. `tau` enters S6 as `Delta -> s_k Delta`; the short convolution
        counts samples and cannot be told, so that its reach in time shrinks with the step.

        The state is `(the last d_conv - 1 values of u, the state of S6)`.

    Source:
        Gu, Dao, Mamba: Linear-Time Sequence Modeling with Selective State Spaces (2023, arXiv
        2312.00752): section 3.4 and figure 3 for the block, section 3.6 for the initialisation of
        S6; the authors' code for the width of the convolution, the rank and the biases.

    Example:
        >>> import torch
        >>> layer = Mamba(32)
        >>> y, (inputs, state) = layer.scan(torch.randn(2, 30, 32), tau=0.5)
        >>> y.shape, inputs.shape, state.shape
        (torch.Size([2, 30, 32]), torch.Size([2, 3, 64]), torch.Size([2, 64, 16]))
    """

    def __init__(
        self,
        d_model: int,
        *,
        skip: bool = True,
        expand: int = 2,
        d_conv: int = 4,
        n_state: int = 16,
        rank: int | None = None,
        dt_min: float = 0.001,
        dt_max: float = 0.1,
        discretization: str = "euler_b",
        bias: bool = False,
        conv_bias: bool = True,
        norm_eps: float | None = None,
    ) -> None:
        super().__init__(d_model)
        inner = positive_int("expand", expand) * d_model
        positive_int("d_conv", d_conv)
        self.in_proj = nn.Linear(d_model, 2 * inner, bias=flag("bias", bias))
        self.conv = ShortConvolution(inner, d_conv, bias=flag("conv_bias", conv_bias))
        self.ssm = S6(
            inner,
            skip=skip,
            n_state=n_state,
            rank=math.ceil(d_model / 16) if rank is None else rank,
            dt_min=dt_min,
            dt_max=dt_max,
            discretization=discretization,
            norm_eps=norm_eps,
        )
        self.out_proj = nn.Linear(inner, d_model, bias=bias)

    @property
    def order(self) -> int:
        """1, that of S6; the short convolution, which is told nothing, has it too."""
        return self.ssm.order

    @property
    def D(self) -> Float[Tensor, " channel"] | None:
        """Weight of the skip term in S6; None without one."""
        return self.ssm.D

    def dynamics_parameters(self) -> Iterator[nn.Parameter]:
        """Iterate those of S6."""
        return self.ssm.dynamics_parameters()

    @cached_property
    def _form(self) -> Form:
        inner = self.ssm.d_model
        return Part((self.conv.past, inner)), Part((inner, self.ssm.n_state))

    @property
    def _precision(self) -> torch.dtype:
        return self.in_proj.weight.dtype

    def _mix(
        self, x: Sequences, state: MambaState | None, steps: Steps, *, return_state: bool
    ) -> tuple[Sequences, MambaState | None]:
        u, z = self.in_proj(x).chunk(2, dim=-1)
        before, hidden = (None, None) if state is None else state
        v = self.conv(u, before)
        lengths = None if steps.valid is None else steps.valid.sum(1)
        if not return_state:
            # The layer is called, not its scan(), so that hooks on it fire.
            y = self.ssm(v, steps.ratio, lengths=lengths)
            return self._out(y, z), None
        y, after = self.ssm.scan(v, hidden, tau=steps.ratio, lengths=lengths)
        return self._out(y, z), (self.conv.last(u, before, steps.valid), after)

    def _out(self, y: Sequences, z: Sequences) -> Sequences:
        out: Tensor = self.out_proj(silu_gate(y, z))
        return out

    def _advance(
        self, x_t: Float[Tensor, "batch channel"], state: MambaState | None, ratio: Tensor
    ) -> tuple[Float[Tensor, "batch channel"], MambaState]:
        u, z = self.in_proj(x_t).chunk(2, dim=-1)
        before, hidden = (None, None) if state is None else state
        v, inputs = self.conv.step(u, before)
        y, after = self.ssm._advance(v, cast(Tensor | None, hidden), ratio)
        return self.out_proj(y * F.silu(z)), (inputs, after)

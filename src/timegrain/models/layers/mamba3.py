"""Mamba-3: a matrix state whose keys turn, with half of each sample brought in a step later."""

import math
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from timegrain.core.errors import ConfigError
from timegrain.kernels.precision import full_precision
from timegrain.kernels.softplus.exact import exact_softplus
from timegrain.models.layer import SequenceLayer, Sequences
from timegrain.models.layers.heads import shared_out
from timegrain.models.layers.trapezoid import Carried, Drive, scanned, stepped
from timegrain.models.options import flag, positive_int, real, step_range
from timegrain.models.state_form import Form, Part
from timegrain.models.steps import Steps

SLOWEST = 1e-4  # the least rate of decay per unit of Delta
FRACTIONS = (0.5, 1.0)


class Mamba3(SequenceLayer):
    r"""Mamba-3's block: exponential-trapezoidal update, turning B and C, gate; no convolution.

    Args:
        d_model: Channels.
        skip: Whether to add `D v`.
        expand: Inner channels per channel.
        n_state: States per inner channel, 4 or more.
        n_heads: Heads; None for the most, up to 4, of 8 inner channels or more (the authors' heads
            have 64).
        rank: Inputs and outputs of each head: 1, or more for the MIMO form.
        rope_fraction: Share of the states that turn in pairs, 0.5 or 1.
        dt_min: Smallest initial `softplus(bias)`, in steps of the training grid.
        dt_max: Largest.

    Raises:
        ConfigError: If an option is outside its domain.

    Math:
        `h_k = alpha_k h_{k-1} + (1 - lambda_k) Delta_k alpha_k B_{k-1} v_{k-1}' + lambda_k Delta_k
        B_k v_k'` in each head, `y_k = h_k' C_k + D v_k`, out `W_out (y silu(z))`, with
        `alpha = exp(Delta A)`, `A = -softplus(.)`, `lambda = sigmoid(.)`, all of the input.
        B and C are normed, have a bias of 1 at the start, and their pairs turn by the sum of
        `pi tanh(theta_j) Delta_j` over all samples so far: a complex diagonal state. With rank r,
        `B v'` and `h' C` are sums over r of each. `tau` enters as `Delta -> s_k Delta`, so in the
        angles too; the gate lambda stays. Since lambda is not 1/2, the order is 1.

    Source:
        Lahoti, Li, Chen, Wang, Bick, Kolter, Dao, Gu, Mamba-3: Improved Sequence Modeling using
        State Space Principles (ICLR 2026, arXiv 2603.15569), section 3; angles, norms, biases,
        weights at the start and the least decay as in the authors' code (state-spaces/mamba,
        modules/mamba3.py).

    Example:
        >>> layer = Mamba3(8, n_state=16)
        >>> y, state = layer.scan(torch.randn(2, 30, 8), tau=0.5)
        >>> y.shape, state.matrices.shape, state.angles.shape
        (torch.Size([2, 30, 8]), torch.Size([2, 2, 16, 8]), torch.Size([2, 2, 4]))
    """

    def __init__(
        self,
        d_model: int,
        *,
        skip: bool = True,
        expand: int = 2,
        n_state: int = 64,
        n_heads: int | None = None,
        rank: int = 1,
        rope_fraction: float = 0.5,
        dt_min: float = 0.001,
        dt_max: float = 0.1,
    ) -> None:
        super().__init__(d_model)
        self.inner = positive_int("expand", expand) * d_model
        self.n_state, self.n_angles = (
            positive_int("n_state", n_state),
            _pairs(n_state, real("rope_fraction", rope_fraction)),
        )
        self.n_heads = shared_out({"inner channels": self.inner}, n_heads)
        self.rank, width = positive_int("rank", rank), self.inner // self.n_heads
        low, high = (math.log(dt) for dt in step_range(dt_min, dt_max))
        self._widths = [
            *(self.inner, self.inner, n_state * rank, n_state * rank),
            *(self.n_heads, self.n_heads, self.n_heads, self.n_angles),
        ]
        self.in_proj = nn.Linear(d_model, sum(self._widths), bias=False)
        dt = torch.exp(low + (high - low) * torch.rand(self.n_heads))
        self.dt_bias = nn.Parameter(dt + torch.log(-torch.expm1(-dt)))  # inverse of softplus
        self.B_norm, self.C_norm = (nn.RMSNorm(n_state, eps=1e-5) for _ in range(2))
        self.B_bias = nn.Parameter(torch.ones(rank, self.n_heads, n_state))
        self.C_bias = nn.Parameter(torch.ones(rank, self.n_heads, n_state))
        self.ranks: nn.ParameterDict | None = None
        if rank > 1:
            shape = rank, self.n_heads, width
            shares = {"into": 1 / rank, "gate": 1.0, "out": 1 / rank}
            self.ranks = nn.ParameterDict(
                {name: nn.Parameter(torch.full(shape, share)) for name, share in shares.items()}
            )
        self.D = nn.Parameter(torch.ones(self.n_heads)) if flag("skip", skip) else None
        self.out_proj = nn.Linear(self.inner, d_model, bias=False)

    @property
    def order(self) -> int:
        """1: the gate is not 1/2, and the decay is that of the newer end of each step."""
        return 1

    def dynamics_parameters(self) -> Iterator[nn.Parameter]:
        """Iterate the bias of `Delta`, which sets time scales at the start."""
        yield self.dt_bias

    @cached_property
    def _form(self) -> Form:
        width = self.inner // self.n_heads
        parts = (
            Part((self.n_heads, self.n_state, width)),
            Part((self.n_heads, self.n_angles)),
            Part((self.rank, self.n_heads, self.n_state)),
            Part((self.rank, self.n_heads, width)),
        )
        return Carried._make(parts)  # type: ignore[return-value]

    @property
    def _precision(self) -> torch.dtype:
        return self.in_proj.weight.dtype

    def _mix(
        self, x: Sequences, state: Carried | None, steps: Steps, *, return_state: bool
    ) -> tuple[Sequences, Carried | None]:
        plain = isinstance(steps.ratio, float) and steps.valid is None
        made = self._select(x, steps.ratio if plain else steps.weights(x)[..., None])
        counts = None if steps.valid is None else steps.valid.sum(1)
        with full_precision(x):
            y, after = scanned(made.drive, state or self._rest(x), counts)
        return self._read(y, x, made), after

    def _advance(
        self, x_t: Float[Tensor, "batch channel"], state: Carried | None, ratio: Tensor
    ) -> tuple[Float[Tensor, "batch channel"], Carried]:
        x = x_t[:, None]
        made = self._select(x, ratio.reshape(-1, 1, 1))
        with full_precision(x):
            y, after = stepped(made.drive, state or self._rest(x))
        return self._read(y, x, made)[:, 0], after

    def _rest(self, x: Tensor) -> Carried:
        wide = torch.promote_types(x.dtype, torch.float32)
        batch, width = len(x), self.inner // self.n_heads
        return Carried(
            x.new_zeros((batch, self.n_heads, self.n_state, width), dtype=wide),
            x.new_zeros((batch, self.n_heads, self.n_angles), dtype=torch.float64),
            x.new_zeros((batch, self.rank, self.n_heads, self.n_state), dtype=wide),
            x.new_zeros((batch, self.rank, self.n_heads, width), dtype=wide),
        )

    def _select(self, x: Sequences, ratio: float | Tensor) -> "Made":
        """Return what is scanned, the step in it, and what the output needs beside it."""
        z, v, B, C, raw_dt, raw_A, raw_gate, angle = self.in_proj(x).split(self._widths, dim=-1)
        wide = torch.promote_types(x.dtype, torch.float32)
        with full_precision(x):
            delta = exact_softplus(raw_dt.to(wide) + self.dt_bias) * ratio
            decay = -exact_softplus(raw_A.to(wide)).clamp(min=SLOWEST)
            gate = torch.sigmoid(raw_gate.to(wide))
            turn = math.pi * torch.tanh(angle.to(wide))[..., None, :] * delta[..., None]
            k, q = (
                norm(part.to(wide).unflatten(-1, (self.rank, 1, -1))) + bias
                for part, norm, bias in (
                    (B, self.B_norm, self.B_bias),
                    (C, self.C_norm, self.C_bias),
                )
            )
            heads = v.to(wide).unflatten(-1, (1, self.n_heads, -1))
            ranked = heads if self.ranks is None else heads * self.ranks["into"]
            drive = Drive(
                q=q, k=k, v=ranked, turn=turn, log_decay=decay * delta,
                now=gate * delta, late=(1 - gate) * delta,
            )  # fmt: skip
        return Made(drive, z, heads[..., 0, :, :])

    def _read(
        self, y: Float[Tensor, "batch time rank head value"], x: Sequences, made: "Made"
    ) -> Sequences:
        gate = made.z.to(y.dtype).unflatten(-1, (1, self.n_heads, -1))
        skip = made.heads[..., None, :, :] if self.ranks is None else made.drive.v
        y = y if self.D is None else y + self.D[:, None] * skip
        if self.ranks is None:
            mixed = (y * F.silu(gate))[..., 0, :, :]
        else:
            gated = y * F.silu(gate * self.ranks["gate"])
            mixed = (gated * self.ranks["out"]).sum(-3)
        out: Tensor = self.out_proj(mixed.flatten(-2).to(x.dtype))
        return out


class Made(NamedTuple):
    """What a call selects: what is scanned, the gate of the output, and the values."""

    drive: Drive
    z: Sequences
    heads: Float[Tensor, "batch time head value"]


def _pairs(n_state: int, fraction: float) -> int:
    """Return the number of pairs of states that turn."""
    if fraction not in FRACTIONS:
        raise ConfigError(
            "rope_fraction is a share of the states", got=fraction, expected="0.5 or 1"
        )
    pairs = int(n_state * fraction) // 2
    if not pairs:
        raise ConfigError(
            "no pair of states is left to turn",
            got=f"n_state={n_state}, rope_fraction={fraction}",
            expected="2 / rope_fraction states or more",
        )
    return pairs

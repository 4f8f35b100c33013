"""S6: the selective state space layer at the core of Mamba, without its block."""

import math
from collections.abc import Iterator
from functools import cached_property

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from timegrain.kernels.phi import phi1
from timegrain.kernels.precision import full_precision
from timegrain.kernels.selective.scan import selective_scan
from timegrain.kernels.softplus.exact import exact_softplus
from timegrain.kernels.softplus.steps import softplus_steps
from timegrain.models.layer import SequenceLayer, Sequences
from timegrain.models.options import flag, one_of, positive_int, positive_real, step_range
from timegrain.models.state_form import Form, Part
from timegrain.models.steps import Steps

DISCRETIZATIONS = ("euler_b", "zoh")


class S6(SequenceLayer):
    r"""A real diagonal system whose step, input and output weights depend on the input.

    Args:
        d_model: Channels.
        skip: Whether to add `D u`.
        n_state: States per channel.
        rank: Of the projection to `Delta`; None for `max(d_model // 16, 1)`.
        dt_min: Smallest initial `softplus(bias)`, in steps of the training grid.
        dt_max: Largest.
        discretization: Of B: `"euler_b"` (`Delta B`, what Mamba's code computes) or `"zoh"`
            (`(exp(Delta A) - 1) / A * B`, what its text says). Both decay exactly. Held
            `"bilinear"` would not, and is of order 1 as well; `"foh"` and `"trapezoidal"` bring in
            `B_{k-1} u_{k-1}`, which the state would have to carry: they are not offered.
        norm_eps: Of norms `v / sqrt(mean v^2 + eps)`, without weights, of `low`, B and C each, as
            Falcon Mamba has them; None for no norms.

    Raises:
        ConfigError: If an option is outside its domain.

    Math:
        `(low, B, C) = W u`, `Delta = s_k softplus(V low + b)`,
        `h_k = exp(Delta A) h_{k-1} + Bbar u_k`, `y_k = C . h_k + D u_k`, `A = -(1..n_state)` and
        `D = 1` at the start. `tau` enters as `Delta -> s_k Delta`.

    Source:
        Gu, Dao, Mamba: Linear-Time Sequence Modeling with Selective State Spaces (2023, arXiv
        2312.00752): algorithm 2 and section 3.2 for the layer, section 3.6 for A at the start and
        the low rank; the bias of `Delta` is log-uniform, as in the authors' code (state-spaces/
        mamba, modules/mamba_simple.py), where section 3.6 says uniform. That code takes D out of
        weight decay, and gives `V` the rate and decay of any weight; here D decays, and `V` is
        among the `dynamics_parameters`. Zuo et al., Falcon Mamba (2024, arXiv 2410.05355)
        for the norms.

    Example:
        >>> layer = S6(32, discretization="zoh")
        >>> y, state = layer.scan(torch.randn(2, 30, 32))
        >>> y.shape, state.shape
        (torch.Size([2, 30, 32]), torch.Size([2, 32, 16]))
    """

    def __init__(
        self,
        d_model: int,
        *,
        skip: bool = True,
        n_state: int = 16,
        rank: int | None = None,
        dt_min: float = 0.001,
        dt_max: float = 0.1,
        discretization: str = "euler_b",
        norm_eps: float | None = None,
    ) -> None:
        super().__init__(d_model)
        self.norm_eps = None if norm_eps is None else positive_real("norm_eps", norm_eps)
        self.discretization = one_of("discretization", discretization, DISCRETIZATIONS)
        self.n_state = positive_int("n_state", n_state)
        self.rank = max(d_model // 16, 1) if rank is None else positive_int("rank", rank)
        low, high = (math.log(dt) for dt in step_range(dt_min, dt_max))
        self.x_proj = nn.Linear(d_model, self.rank + 2 * n_state, bias=False)
        self.dt_proj = nn.Linear(self.rank, d_model)
        nn.init.uniform_(self.dt_proj.weight, -(self.rank**-0.5), self.rank**-0.5)
        dt = torch.exp(low + (high - low) * torch.rand(d_model))
        with torch.no_grad():
            self.dt_proj.bias.copy_(dt + torch.log(-torch.expm1(-dt)))  # inverse of softplus
        self.A_log = nn.Parameter(torch.log(torch.arange(1.0, n_state + 1)).repeat(d_model, 1))
        self.D = nn.Parameter(torch.ones(d_model)) if flag("skip", skip) else None

    @property
    def order(self) -> int:
        """1 for both discretisations: the input is held over each step."""
        return 1

    @property
    def A(self) -> Float[Tensor, "channel state"]:
        """The poles, real and negative."""
        return -self.A_log.exp()

    def dynamics_parameters(self) -> Iterator[nn.Parameter]:
        """Iterate A and what makes `Delta` from its low-rank projection, which set time scales."""
        yield self.A_log
        yield from self.dt_proj.parameters()

    @cached_property
    def _form(self) -> Form:
        return Part((self.d_model, self.n_state))

    @property
    def _precision(self) -> torch.dtype:
        return self.x_proj.weight.dtype

    def select(
        self, u: Float[Tensor, "*batch channel"], ratio: Float[Tensor, "batch time"] | None = None
    ) -> tuple[
        Float[Tensor, "*batch channel"],
        Float[Tensor, "*batch state"],
        Float[Tensor, "*batch state"],
    ]:
        """Return `Delta`, B and C that the input selects.

        Args:
            u: Input.
            ratio: What `Delta` is multiplied by, for sequences; None for ones, as at tau = 1.
        """
        low, B, C = self.x_proj(u).split([self.rank, self.n_state, self.n_state], dim=-1)
        if self.norm_eps is not None:
            low, B, C = (_unit_power(part, self.norm_eps) for part in (low, B, C))
        with full_precision(u):
            # under autocast too: Delta is a time scale, which a training moves by less than the
            # 1/256 that bfloat16 can tell apart
            raw = self.dt_proj(low.to(self.dt_proj.weight.dtype))
            if raw.ndim != 3:
                raw = raw.to(torch.promote_types(raw.dtype, torch.float32))
                return exact_softplus(raw), B, C
            return softplus_steps(raw, ratio), B, C

    def _mix(
        self, x: Sequences, state: Tensor | None, steps: Steps, *, return_state: bool
    ) -> tuple[Sequences, Tensor | None]:
        plain = steps.uniform and steps.ratio == 1.0 and steps.valid is None
        delta, B, C = self.select(x, None if plain else steps.weights(x))
        return selective_scan(
            x,
            delta,
            self.A,
            B,
            C,
            self.D,
            discretization=self.discretization,
            initial_state=state,
            return_state=True,
        )

    def _advance(
        self, x_t: Float[Tensor, "batch channel"], state: Tensor | None, ratio: Tensor
    ) -> tuple[Float[Tensor, "batch channel"], Tensor]:
        delta, B, C = self.select(x_t)
        delta = (delta * ratio)[..., None]
        exponent = delta * self.A
        weight = delta * phi1(exponent) if self.discretization == "zoh" else delta
        driven = weight * B[:, None, :] * x_t[..., None]
        after = driven if state is None else torch.exp(exponent) * state + driven
        y = (after * C[:, None, :]).sum(-1)
        return (y if self.D is None else y + self.D * x_t).to(x_t.dtype), after


def _unit_power(part: Float[Tensor, "*batch width"], eps: float) -> Float[Tensor, "*batch width"]:
    return F.rms_norm(part, part.shape[-1:], eps=eps).to(part.dtype)

"""S4: a diagonal plus low rank, time-invariant state space layer started from a HiPPO matrix."""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

import torch
from jaxtyping import Complex, Float
from torch import Tensor, nn

from timegrain.core.errors import ConfigError
from timegrain.kernels.dplr.kernel import dplr_kernel
from timegrain.kernels.dplr.scan import dplr_scan
from timegrain.kernels.dplr.step import dplr_step
from timegrain.kernels.lti.convolution import lti_conv
from timegrain.models.discretize import DISCRETIZATIONS
from timegrain.models.hippo import MOST_PAIRS, NormalPlusLowRank, fout, legs
from timegrain.models.layer import Sequences
from timegrain.models.layers.complex_modes import ComplexModes
from timegrain.models.options import flag, one_of, step_range, whole
from timegrain.models.second_order_start import Opened, form_of, opened, samples_before
from timegrain.models.state_form import Form
from timegrain.models.steps import Steps

INITS: Mapping[str, Callable[[int], NormalPlusLowRank]] = {"legs": legs, "fout": fout}
RULES = ("bilinear", "trapezoidal")
LEAST_DECAY = 1e-4
"""FouT's normal part does not decay at all, which the logarithm of a decay cannot say."""


LARGEST_B = 2.0
"""LegS gives its fastest modes, thousands of times faster than its slowest, weights of up to 40:
they would ring at any step that does not resolve them."""


class S4(ComplexModes):
    r"""One system of `n_state` states per channel, `A = Lambda - P P*`, in conjugate pairs.

    Args:
        d_model: Channels.
        skip: Whether to add `D u`.
        n_state: States per channel, an even number up to 1,024; half as many pairs are stored.
        init: `"legs"` (HiPPO-LegS: the whole past, forgotten exponentially) or `"fout"` (a Fourier
            series of the last `1/Delta` steps) for A and B at the start.
        dt_min: Smallest initial time scale `Delta`, in steps of the training grid.
        dt_max: Largest.
        discretization: `"bilinear"` (the input held over each step, as in the paper's code, order
            1) or `"trapezoidal"` (the mean of both ends of each step, order 2; the first sample
            only opens the first step, from rest `x_0 = 0` and `y_0 = D u_0`). Zero-order hold would
            need the exponential of a dense matrix for every step, and is not offered.

    Raises:
        ConfigError: If an option is outside its domain.

    Math:
        `x' = A x + B u`, `y = 2 Re(C . x) + D u` over one of each pair, with

        - `Lambda = -exp(log_decay) + i frequency`: `A + A* = 2 Re Lambda - 2 P P*` is negative, so
          that no parameters make it unstable;
        - bilinear rule, `h = Delta s_k / 2`:
          `x_k = (I - hA)^-1 ((I + hA) x_{k-1} + 2h B u_k)`, for `"trapezoidal"` with
          `(u_k + u_{k-1}) / 2` in the place of `u_k`;
        - one step for all samples: convolution with `K_l = 2 Re C Abar^l Bbar`, whose generating
          function `2/(1+z) C (2/Delta (1-z)/(1+z) - A)^-1 B` is four Cauchy sums by Woodbury's
          identity; else a scan, O(n_state) a step by the same identity.

        Start: A and `B = sqrt(2) P` of HiPPO, B limited to 2 as in the paper's code,
        `C ~ CN(0, 1)`, `Delta` log-uniform, `D ~ N(0, 1)`. `tau` enters as `Delta -> s_k Delta`.

        A state is x, real and imaginary part apart: `(batch, channel, pair, 2)`. It is written in
        another basis than that of `S4D`, which refuses it.

    Note:
        LegS with 64 states has modes of 1,300 radians per unit of time, 130 a step where `Delta` is
        .1: `model_continuity` needs `levels=7` to see the order settle (.92, 20 pairs); on its
        default ladder it is PRE_ASYMPTOTIC (.87), with a note on this. The finest step that is
        needed goes with the square of `n_state`: 5 levels for 32 states, 9 for 128.

    Source:
        Gu, Goel, Re, Efficiently Modeling Long Sequences with Structured State Spaces (2021, arXiv
        2111.00396): eq. (1) the system, (2) HiPPO-LegS, (3) the bilinear rule, (5) the kernel,
        theorem 1 the low rank, theorem 2 the scan; theorem 3, algorithm 1 and lemma C.3 the kernel
        and its generating function. `Q = P`: Goel, Gu, Donahue, Re, It's Raw! Audio Generation with
        State-Space Models (2022, arXiv 2202.09729). FouT: Gu, Johnson, Timalsina, Rudra, Re, How to
        Train Your HiPPO (2022, arXiv 2206.12037).

    Example:
        >>> layer = S4(4, n_state=16)
        >>> y, state = layer.scan(torch.randn(2, 30, 4), tau=0.5)
        >>> y.shape, state.shape
        (torch.Size([2, 30, 4]), torch.Size([2, 4, 8, 2]))
    """

    def __init__(
        self,
        d_model: int,
        *,
        skip: bool = True,
        n_state: int = 64,
        init: str = "legs",
        dt_min: float = 0.001,
        dt_max: float = 0.1,
        discretization: str = "bilinear",
    ) -> None:
        super().__init__(d_model)
        self.rule = DISCRETIZATIONS[one_of("discretization", discretization, RULES)]
        pairs, odd = divmod(whole("n_state", n_state, least=2, most=2 * MOST_PAIRS), 2)
        if odd:
            raise ConfigError("n_state counts conjugate pairs twice", got=n_state, expected="even")
        start = INITS[one_of("init", init, list(INITS))](pairs)
        low, high = (math.log(dt) for dt in step_range(dt_min, dt_max))
        self.log_dt = nn.Parameter(low + (high - low) * torch.rand(d_model))
        decay = torch.from_numpy(-start.poles.real).clamp(min=LEAST_DECAY)
        self.log_decay = self._copies(decay.log())
        self.frequency = self._copies(torch.from_numpy(start.poles.imag.copy()))
        # Real and imaginary part apart: optimisers and safetensors then need no complex numbers.
        low_rank = torch.from_numpy(start.P)
        low_rank = torch.stack([low_rank, torch.zeros_like(low_rank)], -1)
        self.P = self._copies(low_rank)
        self.B = self._copies((math.sqrt(2) * low_rank).clamp(max=LARGEST_B))
        self.C = nn.Parameter(math.sqrt(0.5) * torch.randn(d_model, pairs, 2))
        self.D = nn.Parameter(torch.randn(d_model)) if flag("skip", skip) else None

    def _copies(self, values: Tensor) -> nn.Parameter:
        """Return a parameter that starts as `values` in every channel."""
        blank = torch.empty(self.d_model, *values.shape)  # on the device that layers are made on
        return nn.Parameter(blank.copy_(values))

    @property
    def order(self) -> int:
        """1 where the input is held over each step, 2 for the mean of its ends."""
        return self.rule.order

    @property
    def modes(self) -> Complex[Tensor, "channel pair"]:
        """`Lambda`, per unit of `Delta`."""
        return torch.complex(-self.log_decay.exp(), self.frequency)

    def dynamics_parameters(self) -> Iterator[nn.Parameter]:
        """Iterate `Delta`, A and B."""
        yield from (self.log_dt, self.log_decay, self.frequency, self.P, self.B)

    @cached_property
    def _form(self) -> Form:
        return form_of(self.log_decay, self.rule.opens, apart=True)

    def _system(self) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Return `Delta`, `Lambda`, P, B and C."""
        P, B, C = (torch.view_as_complex(w) for w in (self.P, self.B, self.C))
        return self.log_dt.exp(), self.modes, P, B, C

    def _mix(
        self, x: Sequences, state: Any, steps: Steps, *, return_state: bool
    ) -> tuple[Sequences, Tensor | Opened | None]:
        u, begun = self._driving(x, state)
        if isinstance(steps.ratio, float) and state is None and not return_state:
            dt, Lambda, P, B, C = self._system()
            K = dplr_kernel(steps.ratio * dt, Lambda, P, B, C, x.shape[1])
            y, after = lti_conv(u, K), None
        else:
            y, after = self._scan(x, u, state, steps, begun)
        return (y if self.D is None else y + self.D * x).to(x.dtype), after

    def _driving(self, x: Sequences, state: Any) -> tuple[Sequences, Tensor | None]:
        """Return what drives the system at each step, and where there has been a sample before."""
        if not self.rule.opens:
            return x, None
        before, begun = samples_before(x, state)
        u = (x + before) / 2
        return torch.cat([(u[:, 0] * begun)[:, None], u[:, 1:]], 1), begun

    def _scan(
        self,
        x: Sequences,
        u: Sequences,
        state: Any,
        steps: Steps,
        begun: Tensor | None,
    ) -> tuple[Sequences, Tensor | Opened]:
        ratios = steps.weights(x)
        if begun is not None:  # a first sample takes no time: it opens a step
            ratios = torch.cat([ratios[:, :1] * begun, ratios[:, 1:]], 1)
        y, last = dplr_scan(u, *self._system(), steps=ratios, initial_state=_carried(state))
        last = torch.view_as_real(last)
        if begun is None:
            return y, last
        lengths = None if steps.valid is None else steps.valid.sum(1)
        return y, opened(last, x, lengths, state)

    def _advance(
        self, x_t: Float[Tensor, "batch channel"], state: Any, ratio: Tensor
    ) -> tuple[Float[Tensor, "batch channel"], Tensor | Opened]:
        dt, Lambda, P, B, C = self._system()
        u, begun = self._driving(x_t[:, None], state)
        step = ratio * dt if begun is None else ratio * begun * dt
        system = _carried(state)
        if system is None:
            system = Lambda.new_zeros(len(x_t), *Lambda.shape)
        after = dplr_step(system, u[:, 0], torch.atleast_2d(step), Lambda, P, B)
        y = 2 * (C * after).sum(-1).real
        y = (y if self.D is None else y + self.D * x_t).to(x_t.dtype)
        after = torch.view_as_real(after)
        return y, after if begun is None else opened(after, x_t[:, None], None, state)


def _carried(state: Any) -> Complex[Tensor, "batch channel pair"] | None:
    """Return the state of the linear system."""
    system = state.system if isinstance(state, Opened) else state
    return None if system is None else torch.view_as_complex(system.contiguous())

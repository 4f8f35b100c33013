"""S4D: a diagonal, time-invariant state space layer, by convolution or by scan."""

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import torch
from jaxtyping import Complex, Float
from torch import Tensor, nn

from timegrain.core.errors import ConfigError
from timegrain.kernels.diagonal.scan import diagonal_scan
from timegrain.kernels.lti.filter.filter import zoh_filter
from timegrain.kernels.phi import phi1
from timegrain.models.discretize import DISCRETIZATIONS
from timegrain.models.hippo import legs
from timegrain.models.layer import Sequences
from timegrain.models.layers.complex_modes import ComplexModes
from timegrain.models.layers.diagonal import advanced, convolved, scanned
from timegrain.models.layers.lti import final_state, free_response
from timegrain.models.options import flag, one_of, positive_int, step_range
from timegrain.models.second_order_start import form_of
from timegrain.models.state import State
from timegrain.models.state_form import Form
from timegrain.models.steps import Steps

FORMS = ("auto", "conv", "scan")
INITS = ("lin", "inv", "legs", "real")


class S4D(ComplexModes):
    r"""One diagonal system of `n_pairs` pairs of conjugate modes per channel.

    Args:
        d_model: Channels.
        skip: Whether to add `D u`.
        n_pairs: Complex modes per channel; each stands for itself and its conjugate.
        dt_min: Smallest initial time scale `Delta`, in steps of the training grid.
        dt_max: Largest.
        form: `"conv"` (one FFT, needs one tau for all steps), `"scan"` (step by step, any tau) or
            `"auto"` (conv wherever tau is a float).
        init: Of the modes: `"lin"`, `"inv"`, `"legs"` or `"real"`; the last has no complex modes
            but two real ones in the place of each pair.
        discretization: `"zoh"` (input held), `"bilinear"` and `"euler_b"` (held, of order 1 as
            well), `"foh"` (linear between samples) or `"trapezoidal"`, both of order 2: for these
            the first sample only opens the first step, from rest `x_0 = 0` and `y_0 = D u_0`. See
            `timegrain.models.discretize`.

    Raises:
        ConfigError: If an option is outside its domain, or at a call if `form="conv"` meets a
            tau per sequence or per step.

    Math:
        ZOH: `x_k = exp(lambda Delta s_k) x_{k-1} + (exp(lambda Delta s_k) - 1) / lambda * u_k`,
        `y_k = 2 Re(C . x_k) + D u_k`, B = 1 absorbed in C; the real part of `lambda` is `-exp(.)`,
        so every mode decays. `tau` enters as `Delta -> s_k Delta`. Start, with N = 2 n_pairs:

        - lin: `lambda_n = -1/2 + i pi n`; inv: `-1/2 + i N/pi (N/(2n+1) - 1)`; `C ~ CN(0, 1)`;
        - legs: the normal part of HiPPO-LegS, with C times its `B/2`, whose kernel tends to that
          of the whole matrix for large N;
        - real: `lambda_n = -(n+1)`, n < N, `C ~ N(0, 1)`;
        - `Delta` log-uniform, `D ~ N(0, 1)`.

    Source:
        Gu, Gupta, Goel, Re, On the Parameterization and Initialization of Diagonal State Space
        Models (NeurIPS 2022, arXiv 2206.11893): eq. (6) and (7) for discretisation and kernel,
        section 3.3 for the parameters, section 4 for the start: theorem 3 legs, eq. (8) inv, (9)
        lin; real is S4D-Real of its ablations. The authors' code limits B of legs to 2 and does
        not halve it; here it is as in the theorem.

    Example:
        >>> layer = S4D(4)
        >>> x = torch.randn(2, 30, 4)
        >>> y, state = layer.scan(x, tau=0.5)
        >>> y.shape, state.shape
        (torch.Size([2, 30, 4]), torch.Size([2, 4, 32]))
    """

    def __init__(
        self,
        d_model: int,
        *,
        skip: bool = True,
        n_pairs: int = 32,
        dt_min: float = 0.001,
        dt_max: float = 0.1,
        form: str = "auto",
        init: str = "lin",
        discretization: str = "zoh",
    ) -> None:
        super().__init__(d_model)
        self.form = one_of("form", form, FORMS)
        self.n_pairs = positive_int("n_pairs", n_pairs)
        low, high = (math.log(dt) for dt in step_range(dt_min, dt_max))
        self.log_dt = nn.Parameter(low + (high - low) * torch.rand(d_model))
        self.rule = DISCRETIZATIONS[one_of("discretization", discretization, list(DISCRETIZATIONS))]
        self.init = one_of("init", init, INITS)
        decay, frequency = _start(init, n_pairs)
        kind = self.log_dt.dtype
        self.log_decay = nn.Parameter(decay.log().to(kind).repeat(d_model, 1))
        # Real and imaginary part apart: optimisers and safetensors then need no complex numbers.
        self.frequency: nn.Parameter | None = None
        if init == "real":
            self.C = nn.Parameter(torch.randn(d_model, 2 * n_pairs))
        else:
            self.frequency = nn.Parameter(frequency.to(kind).repeat(d_model, 1))
            self.C = nn.Parameter(math.sqrt(0.5) * torch.randn(d_model, n_pairs, 2))
            if init == "legs":
                scale = torch.from_numpy(legs(n_pairs).P / math.sqrt(2)).to(kind)  # B / 2
                self.C.data.mul_(scale[:, None].to(self.C.device))
        self.D = nn.Parameter(torch.randn(d_model)) if flag("skip", skip) else None

    @property
    def order(self) -> int:
        """1 where the input is held over each step, 2 where both of its ends have a part."""
        return self.rule.order

    @property
    def modes(self) -> Complex[Tensor, "channel mode"]:
        """The poles `lambda`, per unit of `Delta`."""
        return torch.complex(-self.log_decay.exp(), self._frequency)

    @property
    def _real(self) -> bool:
        return self.frequency is None

    @property
    def _frequency(self) -> Tensor:
        return torch.zeros_like(self.log_decay) if self.frequency is None else self.frequency

    @property
    def _plain(self) -> bool:
        """Whether the kernels that know ZOH and complex modes only can be used."""
        return self.rule.name == "zoh" and not self._real

    @cached_property
    def _form(self) -> Form:
        return form_of(self.log_decay, self.rule.opens)

    def _system(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return `Delta`, poles and output weights of one of each pair."""
        if self._real:  # y = 2 Re(C/2 . x) has no other half
            C = torch.complex(self.C / 2, torch.zeros_like(self.C))
        else:
            C = torch.view_as_complex(self.C)
        return self.log_dt.exp(), self.modes, C

    def dynamics_parameters(self) -> Iterator[nn.Parameter]:
        """Iterate `Delta` and the poles."""
        yield from (self.log_dt, self.log_decay)
        if self.frequency is not None:
            yield self.frequency

    def _mix(
        self, x: Sequences, state: Any, steps: Steps, *, return_state: bool
    ) -> tuple[Sequences, State | None]:
        tau = steps.ratio if isinstance(steps.ratio, float) and self.form != "scan" else None
        if tau is None and self.form == "conv":
            raise ConfigError(
                "a convolution has one step for all samples",
                got="form='conv' and a tau per sequence or per step",
                hint="form='auto', or a float tau",
            )
        if not self._plain:
            y, after = self._ruled(x, state, steps, tau, return_state)
            y = y if self.D is None else y + self.D * x
        elif tau is not None:
            y, after = self._convolve(x, state, tau, steps.valid, return_state)
        else:
            y, after = diagonal_scan(
                x,
                self.log_dt.exp(),
                self.modes,
                torch.view_as_complex(self.C),
                steps=steps.weights(x),
                initial_state=state,
                return_state=True,
            )
            y = y if self.D is None else y + self.D * x
        return y.to(x.dtype), after

    def _convolve(
        self,
        x: Sequences,
        state: Tensor | None,
        tau: float,
        valid: Tensor | None,
        return_state: bool,
    ) -> tuple[Sequences, Tensor | None]:
        """Return `y + D x`: D is the kernel's share at lag 0."""
        parameters = self.log_dt, self.log_decay, self._frequency, self.C
        y = zoh_filter(x, *parameters, ratio=tau, skip=self.D)
        if state is None and not return_state:
            return y, None
        exponent, weight = self._discretise(tau * self.log_dt.exp())
        if state is not None:
            y = y + free_response(state, exponent, torch.view_as_complex(self.C), x.shape[1])
        if not return_state:
            return y, None
        lengths = None if valid is None else valid.sum(1)
        return y, final_state(x, state, exponent, weight, lengths)

    def _ruled(
        self, x: Sequences, state: Any, steps: Steps, tau: float | None, return_state: bool
    ) -> tuple[Sequences, State | None]:
        """Return what the system answers by another rule than ZOH, or with real modes."""
        dt, modes, C = self._system()
        lengths = None if steps.valid is None else steps.valid.sum(1)
        if tau is None:
            return scanned(self.rule, x, state, (dt, modes, C), steps.weights(x), lengths)
        system = (tau * dt, modes, C)
        return convolved(self.rule, x, state, system, lengths, return_state=return_state)

    def _discretise(self, dt: Float[Tensor, "*batch channel"]) -> tuple[Tensor, Tensor]:
        """Return `lambda dt` and `(exp(lambda dt) - 1) / lambda`, exact for small steps too."""
        exponent = self.modes * dt[..., None]
        return exponent, dt[..., None] * phi1(exponent)

    def _advance(
        self, x_t: Float[Tensor, "batch channel"], state: Any, ratio: Tensor
    ) -> tuple[Float[Tensor, "batch channel"], State]:
        if not self._plain:
            y, after = advanced(self.rule, x_t, state, self._system(), ratio)
            return (y if self.D is None else y + self.D * x_t).to(x_t.dtype), after
        exponent, weight = self._discretise(ratio * self.log_dt.exp())
        driven = weight * x_t[..., None]
        after = driven if state is None else torch.exp(exponent) * state + driven
        y = 2 * (torch.view_as_complex(self.C) * after).sum(-1).real
        return (y if self.D is None else y + self.D * x_t).to(x_t.dtype), after


def _start(init: str, n_pairs: int) -> tuple[Tensor, Tensor]:
    """Return the initial decay and frequency of each mode."""
    n = torch.arange(n_pairs)
    if init == "real":
        return 1 + torch.arange(2 * n_pairs).double(), torch.zeros(2 * n_pairs)
    if init == "legs":
        frequency = torch.from_numpy(legs(n_pairs).poles.imag.copy())
    elif init == "inv":
        frequency = 2 * n_pairs / math.pi * (2 * n_pairs / (2 * n.double() + 1) - 1)
    else:
        frequency = math.pi * n.to(torch.promote_types(torch.get_default_dtype(), torch.float32))
    return torch.full((n_pairs,), 0.5).double(), frequency

"""S4D: a diagonal, time-invariant state space layer, by convolution or by scan."""

import math
from collections.abc import Iterator

import torch
from jaxtyping import Complex, Float
from torch import Tensor, nn

from timegrain.core.errors import ConfigError
from timegrain.kernels.diagonal.scan import diagonal_scan
from timegrain.kernels.lti.convolution import lti_conv
from timegrain.kernels.lti.zoh.kernel import zoh_kernel
from timegrain.kernels.phi import phi1
from timegrain.models.layer import SequenceLayer, Sequences
from timegrain.models.layers.lti import final_state, free_response
from timegrain.models.options import flag, one_of, positive_int, step_range
from timegrain.models.steps import Steps

FORMS = ("auto", "conv", "scan")


class S4D(SequenceLayer):
    r"""One diagonal system of `n_pairs` conjugate modes per channel, held inputs (ZOH).

    Args:
        d_model: Channels.
        skip: Whether to add `D u`.
        n_pairs: Complex modes per channel; each stands for itself and its conjugate.
        dt_min: Smallest initial time scale `Delta`, in steps of the training grid.
        dt_max: Largest.
        form: `"conv"` (one FFT, needs one tau for all steps), `"scan"` (step by step, any tau) or
            `"auto"` (conv wherever tau is a float).

    Raises:
        ConfigError: If an option is outside its domain, or at a call if `form="conv"` meets a
            tau per sequence or per step.

    Math:
        `x_k = exp(lambda Delta s_k) x_{k-1} + (exp(lambda Delta s_k) - 1) / lambda * u_k`,
        `y_k = 2 Re(C . x_k) + D u_k`, with `lambda_n = -1/2 + i pi n` at the start, `B = 1`
        absorbed in C, `C ~ CN(0, 1)`, `Delta` log-uniform, `D ~ N(0, 1)`; the real part is
        `-exp(.)`, so every mode decays. `tau` enters as `Delta -> s_k Delta`.

    Source:
        Gu, Gupta, Goel, Re, On the Parameterization and Initialization of Diagonal State Space
        Models (NeurIPS 2022, arXiv 2206.11893): eq. (6) and (7) for discretisation and kernel,
        section 3.3 for the parameters, eq. (9) for S4D-Lin.

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
    ) -> None:
        super().__init__(d_model)
        self.form = one_of("form", form, FORMS)
        self.n_pairs = positive_int("n_pairs", n_pairs)
        low, high = (math.log(dt) for dt in step_range(dt_min, dt_max))
        self.log_dt = nn.Parameter(low + (high - low) * torch.rand(d_model))
        self.log_decay = nn.Parameter(torch.full((d_model, n_pairs), math.log(0.5)))
        self.frequency = nn.Parameter(math.pi * torch.arange(n_pairs).float().repeat(d_model, 1))
        # Real and imaginary part apart: optimisers and safetensors then need no complex numbers.
        self.C = nn.Parameter(math.sqrt(0.5) * torch.randn(d_model, n_pairs, 2))
        self.D = nn.Parameter(torch.randn(d_model)) if flag("skip", skip) else None

    @property
    def order(self) -> int:
        """1: the input is held over each step."""
        return 1

    @property
    def modes(self) -> Complex[Tensor, "channel mode"]:
        """The poles `lambda`, per unit of `Delta`."""
        return torch.complex(-self.log_decay.exp(), self.frequency)

    def dynamics_parameters(self) -> Iterator[nn.Parameter]:
        """Iterate `Delta` and the poles."""
        yield from (self.log_dt, self.log_decay, self.frequency)

    def _mix(
        self, x: Sequences, state: Tensor | None, steps: Steps, *, return_state: bool
    ) -> tuple[Sequences, Tensor | None]:
        if isinstance(steps.ratio, float) and self.form != "scan":
            y, after = self._convolve(x, state, steps.ratio, steps.valid, return_state)
        elif self.form == "conv":
            raise ConfigError(
                "a convolution has one step for all samples",
                got="form='conv' and a tau per sequence or per step",
                hint="form='auto', or a float tau",
            )
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
        return y, after

    def _convolve(
        self,
        x: Sequences,
        state: Tensor | None,
        tau: float,
        valid: Tensor | None,
        return_state: bool,
    ) -> tuple[Sequences, Tensor | None]:
        """Return `y + D x`: D is the kernel's share at lag 0."""
        parameters = self.log_dt, self.log_decay, self.frequency, self.C
        y = lti_conv(x, zoh_kernel(*parameters, x.shape[1], ratio=tau, skip=self.D))
        if state is None and not return_state:
            return y, None
        exponent, weight = self._discretise(tau * self.log_dt.exp())
        if state is not None:
            y = y + free_response(state, exponent, torch.view_as_complex(self.C), x.shape[1])
        if not return_state:
            return y, None
        lengths = None if valid is None else valid.sum(1)
        return y, final_state(x, state, exponent, weight, lengths)

    def _discretise(self, dt: Float[Tensor, "*batch channel"]) -> tuple[Tensor, Tensor]:
        """Return `lambda dt` and `(exp(lambda dt) - 1) / lambda`, exact for small steps too."""
        exponent = self.modes * dt[..., None]
        return exponent, dt[..., None] * phi1(exponent)

    def _advance(
        self, x_t: Float[Tensor, "batch channel"], state: Tensor | None, ratio: Tensor
    ) -> tuple[Float[Tensor, "batch channel"], Tensor]:
        exponent, weight = self._discretise(ratio * self.log_dt.exp())
        driven = weight * x_t[..., None]
        after = driven if state is None else torch.exp(exponent) * state + driven
        y = 2 * (torch.view_as_complex(self.C) * after).sum(-1).real
        return (y if self.D is None else y + self.D * x_t), after

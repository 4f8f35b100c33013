"""LRU: a linear recurrent unit, one diagonal state for all channels, on a ring at the start."""

import math
from collections.abc import Iterator
from functools import cached_property

import torch
from jaxtyping import Complex, Float
from torch import Tensor, nn

from timegrain.core.errors import ConfigError
from timegrain.kernels.linear.scan import linear_scan
from timegrain.kernels.mimo.projections import last_of, project, read
from timegrain.kernels.mimo.scan import mimo_scan
from timegrain.kernels.phi import phi1
from timegrain.kernels.precision import full_precision
from timegrain.models.layer import Sequences
from timegrain.models.layers.complex_modes import ComplexModes
from timegrain.models.options import flag, positive_int, real, shown
from timegrain.models.state_form import Form, Part
from timegrain.models.steps import Steps


class LRU(ComplexModes):
    r"""A complex diagonal recurrence that is not the discretisation of anything, told its step.

    Args:
        d_model: Channels.
        skip: Whether to add `D u`.
        n_state: Complex modes.
        r_min: Smallest modulus of a pole at the start, 0 to 1.
        r_max: Largest, more than `r_min`, at most 1.
        max_phase: Largest phase at the start, 0 to `2 pi`, in radians a sample.

    Raises:
        ConfigError: If an option is outside its domain.

    Math:
        `x_k = lambda^s x_{k-1} + gamma (lambda^s - 1) / (lambda - 1) B u_k`,
        `y_k = Re(C x_k) + D u_k`, `lambda = exp(-exp(nu) + i theta)`; at the start `|lambda|^2`
        uniform in `[r_min^2, r_max^2]`, the phase uniform in `[0, max_phase]`,
        `gamma = sqrt(1 - |lambda|^2)`, entries of B and C normal, of real and imaginary part each
        with variance `1 / (2 d_model)` and `1 / n_state`. At `s = 1` it is the published layer.

        The published layer knows no step. Between its samples a mode is taken to turn by the
        smallest angle that leads to the same `lambda`, theta in `(-pi, pi]`, and its input to be
        held: then any step gives the samples of one system. `gamma` stays as it is: computed
        from `lambda^s` it would be `sqrt(1 - |lambda|^(2 s))`, of order `sqrt(s)`, while there are
        `1 / s` samples: outputs would grow without bound on ever finer grids.

    Source:
        Orvieto et al., Resurrecting Recurrent Neural Networks for Long Sequences (ICML 2023, arXiv
        2303.06349): eq. (5) and section 3.3 for the exponential parametrisation, lemma 3.2 for the
        ring, section 3.4 and eq. (7) for gamma, which is trained from there on; initial weights
        and output as in its appendix A. Their phases begin at `2 pi u`, `u` uniform.

    Example:
        >>> layer = LRU(4, n_state=8)
        >>> y, state = layer.scan(torch.randn(2, 30, 4), tau=0.5)
        >>> y.shape, state.shape
        (torch.Size([2, 30, 4]), torch.Size([2, 8]))
    """

    def __init__(
        self,
        d_model: int,
        *,
        skip: bool = True,
        n_state: int = 64,
        r_min: float = 0.0,
        r_max: float = 1.0,
        max_phase: float = 2 * math.pi,
    ) -> None:
        super().__init__(d_model)
        self.n_state = positive_int("n_state", n_state)
        _check_ring(r_min, r_max, max_phase)
        kind = torch.get_default_dtype()
        square = r_min**2 + (r_max**2 - r_min**2) * _inside(n_state)
        decay = -0.5 * square.log()  # -log of the modulus
        self.nu_log = nn.Parameter(decay.log().to(kind))
        self.theta_log = nn.Parameter((max_phase * _inside(n_state)).log().to(kind))
        self.gamma_log = nn.Parameter((0.5 * torch.log(-torch.expm1(-2 * decay))).to(kind))
        # Real and imaginary part apart: optimisers and safetensors then need no complex numbers.
        self.B = nn.Parameter(torch.randn(n_state, d_model, 2) / math.sqrt(2 * d_model))
        self.C = nn.Parameter(torch.randn(d_model, n_state, 2) / math.sqrt(n_state))
        self.D = nn.Parameter(torch.randn(d_model)) if flag("skip", skip) else None

    @property
    def order(self) -> int:
        """1: the input is held over each step."""
        return 1

    @property
    def log_modes(self) -> Complex[Tensor, " mode"]:
        """Return `log lambda`, with the phase in `[-pi, pi]`: what a mode does in one sample."""
        theta = self.theta_log.exp()
        turned = theta - 2 * math.pi * torch.round(theta.detach() / (2 * math.pi))
        return torch.complex(-self.nu_log.exp(), turned)

    @property
    def modes(self) -> Complex[Tensor, " mode"]:
        """Return the poles `lambda` of a step of the training grid."""
        return self.log_modes.exp()

    def dynamics_parameters(self) -> Iterator[nn.Parameter]:
        """Iterate the poles, `gamma` and B, as the authors train them."""
        yield from (self.nu_log, self.theta_log, self.gamma_log, self.B)

    @cached_property
    def _form(self) -> Form:
        return Part((self.n_state,), complex=True)

    @property
    def _weights(self) -> torch.dtype:
        return self.nu_log.dtype

    def _mix(
        self, x: Sequences, state: Tensor | None, steps: Steps, *, return_state: bool
    ) -> tuple[Sequences, Tensor | None]:
        count = None if steps.valid is None else steps.valid.sum(1).to(x.device)
        if isinstance(steps.ratio, float):
            decay, weight = self._factors(steps.ratio)
            into = weight[:, None] * torch.view_as_complex(self.B)
            return mimo_scan(
                x, decay, into, self._output, self.D,
                initial_state=state, counts=count, return_state=True,
            )  # fmt: skip
        with full_precision(x):
            decay, weight = self._factors(steps.weights(x)[..., None])
            states = linear_scan(decay, weight * self._project(x), initial_state=state)
            y = self._read(states, x)
        start = states.new_zeros(len(x), self.n_state) if state is None else state
        return y, last_of(states, start, count)

    def _advance(
        self, x_t: Float[Tensor, "batch channel"], state: Tensor | None, ratio: Tensor
    ) -> tuple[Float[Tensor, "batch channel"], Tensor]:
        decay, weight = self._factors(ratio)
        with full_precision(x_t):
            after = weight * self._project(x_t)
            if state is not None:
                after = torch.addcmul(after, decay.expand_as(after), state)
            return self._read(after, x_t), after

    @property
    def _output(self) -> Complex[Tensor, "channel mode"]:
        """C, halved: the kernels read `2 Re(C x)`, of pairs of conjugate modes."""
        return 0.5 * torch.view_as_complex(self.C)

    def _factors(self, ratio: float | Tensor) -> tuple[Tensor, Tensor]:
        """Return `lambda^s` and the weight of the input, `(mode,)` or `(..., mode)`."""
        log_modes = self.log_modes
        exponent = log_modes * ratio
        weight = self.gamma_log.exp() * ratio * phi1(exponent) / phi1(log_modes)
        return exponent.exp(), weight

    def _project(self, x: Tensor) -> Complex[Tensor, "*batch mode"]:
        return project(x.to(self.B.dtype), torch.view_as_complex(self.B))

    def _read(self, states: Complex[Tensor, "*batch mode"], x: Tensor) -> Tensor:
        y = read(states, self._output)
        y = y if self.D is None else torch.addcmul(y, self.D, x.to(y.dtype))
        return y.to(x.dtype)


def _inside(count: int) -> Float[Tensor, " count"]:
    """Return numbers uniform in (0, 1): neither a pole of 0 nor one that never decays."""
    drawn = torch.rand(count, dtype=torch.float64)
    return drawn.clamp(min=2.0**-24, max=1 - 2.0**-24)


def _check_ring(r_min: object, r_max: object, max_phase: object) -> None:
    least, most, phase = real("r_min", r_min), real("r_max", r_max), real("max_phase", max_phase)
    if not 0 <= least < most <= 1:
        raise ConfigError(
            "the poles of an LRU begin on a ring inside the unit circle",
            got=f"r_min={shown(r_min)}, r_max={shown(r_max)}",
            expected="0 <= r_min < r_max <= 1",
        )
    if not 0 < phase <= 2 * math.pi:
        raise ConfigError(
            "the phases of an LRU begin between 0 and max_phase",
            got=f"max_phase={shown(max_phase)}",
            expected="0 < max_phase <= 2 pi, in radians a sample",
        )

"""S5: one diagonal, time-invariant state space for all channels, by scan."""

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import torch
from jaxtyping import Complex, Float
from torch import Tensor, nn

from timegrain.core.errors import ConfigError
from timegrain.kernels.held.scan import held_scan
from timegrain.kernels.linear.scan import linear_scan
from timegrain.kernels.mimo.projections import last_of, project, read
from timegrain.kernels.mimo.scan import mimo_scan
from timegrain.kernels.mimo.zoh.factors import zoh_factors
from timegrain.kernels.precision import full_precision
from timegrain.models.discretize import DISCRETIZATIONS
from timegrain.models.hippo import legs_modes
from timegrain.models.layer import Sequences
from timegrain.models.layers.complex_modes import ComplexModes
from timegrain.models.options import flag, one_of, positive_int, step_range, whole
from timegrain.models.state import State
from timegrain.models.state_form import Form, Part
from timegrain.models.steps import Steps

LARGEST_BLOCK = 1024
_TRUNCATED = 0.87962566103423978  # standard deviation of a normal number cut off at 2


class S5(ComplexModes):
    r"""One system of `n_state` states, in conjugate pairs of modes, that every channel drives.

    Args:
        d_model: Channels.
        skip: Whether to add `D u`.
        n_state: Real states, twice the number of complex modes that are kept.
        n_blocks: Blocks of the state matrix at the start, each a HiPPO-N matrix of
            `n_state / n_blocks` states, an even number.
        dt_min: Smallest initial time scale `Delta` of a mode, in steps of the training grid.
        dt_max: Largest.
        discretization: `"zoh"`, `"bilinear"` (the two of the authors), `"euler_b"`, or, of order 2,
            `"foh"` and `"trapezoidal"`: for these the first sample only opens the first step, from
            rest `x_0 = 0` and `y_0 = D u_0`.

    Raises:
        ConfigError: If an option is outside its domain.

    Math:
        `x_k = a_k x_{k-1} + w_k B u_k`, `y_k = 2 Re(C x_k) + D u_k`, with one mode of each pair in
        x; for `zoh`, `a_k = exp(lambda Delta s_k)` and `w_k = (a_k - 1) / lambda`. At the start
        `lambda` are the eigenvalues of blocks `-1/2 I + S` with
        `S_nm = -sqrt((n + 1/2)(m + 1/2)) sign(n - m)`, `V` their eigenvectors,
        `B = V^-1 B'` and `C = C' V` with entries of `B'` and of the real and imaginary part of `C'`
        of variance `1 / n_state`, `Delta` log-uniform and one a mode, `D ~ N(0, 1)`; the real part
        of lambda is `-exp(.)`, so every mode decays. `tau` enters as `Delta -> s_k Delta`.

    Source:
        Smith, Warrington, Linderman, Simplified State Space Layers for Sequence Modeling (ICLR
        2023, arXiv 2208.04933), section 3: the layer with diagonalised dynamics, eq. (6) for zoh;
        conjugate symmetry, initial weights (of C: `trunc_standard_normal`) and B trained with the
        poles as in the authors' code (lindermanlab/S5, s5/ssm.py, s5/ssm_init.py and
        s5/train_helpers.py). HiPPO-N: Gu, Goel, Re, Efficiently Modeling Long Sequences with
        Structured State Spaces (2021, arXiv 2111.00396), theorem 1 and appendix C.1.

    Example:
        >>> layer = S5(4, n_state=16)
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
        n_blocks: int = 4,
        dt_min: float = 0.001,
        dt_max: float = 0.1,
        discretization: str = "zoh",
    ) -> None:
        super().__init__(d_model)
        block = _block_size(n_state, n_blocks)
        self.discretization = one_of("discretization", discretization, tuple(DISCRETIZATIONS))
        self.n_state, modes = n_state, n_state // 2
        low, high = (math.log(dt) for dt in step_range(dt_min, dt_max))
        frequency, vectors = (torch.tensor(part) for part in legs_modes(block // 2))
        self.log_dt = nn.Parameter(low + (high - low) * torch.rand(modes))
        self.log_decay = nn.Parameter(torch.full((modes,), math.log(0.5)))
        self.frequency = nn.Parameter(frequency.to(self.log_dt.dtype).repeat(n_blocks))
        real, imaginary = (_lecun((n_state, d_model), n_state) for _ in range(2))
        into = _lecun((n_blocks, block, d_model), n_state)
        out_of = torch.complex(real, imaginary).T.reshape(d_model, n_blocks, block)
        vectors = vectors.to(into.dtype.to_complex())
        # Real and imaginary part apart: optimisers and safetensors then need no complex numbers.
        B = (vectors.mH @ into.to(vectors.dtype)).reshape(modes, d_model)
        self.B = nn.Parameter(torch.view_as_real(B).to(self.log_dt.dtype, copy=True))
        C = (out_of @ vectors).reshape(d_model, modes)
        self.C = nn.Parameter(torch.view_as_real(C).to(self.log_dt.dtype, copy=True))
        self.D = nn.Parameter(torch.randn(d_model)) if flag("skip", skip) else None

    @property
    def order(self) -> int:
        """That of the discretisation."""
        return DISCRETIZATIONS[self.discretization].order

    @property
    def modes(self) -> Complex[Tensor, " mode"]:
        """The poles `lambda`, one of each pair, per unit of `Delta`."""
        return torch.complex(-self.log_decay.exp(), self.frequency)

    def dynamics_parameters(self) -> Iterator[nn.Parameter]:
        """Iterate `Delta`, the poles, and `B`, which the authors train with them."""
        yield from (self.log_dt, self.log_decay, self.frequency, self.B)

    @cached_property
    def _form(self) -> Form:
        modes = Part((self.n_state // 2,), complex=True)
        return (modes, Part((self.d_model,)), Part((1,))) if self._opens else modes

    def _mix(
        self, x: Sequences, state: Any, steps: Steps, *, return_state: bool
    ) -> tuple[Sequences, State | None]:
        rule = DISCRETIZATIONS[self.discretization]
        count = None if steps.valid is None else steps.valid.sum(1).to(x.device)
        if isinstance(steps.ratio, float) and not rule.opens:
            decay, into = self._factors(steps.ratio, x)
            return mimo_scan(
                x,
                decay,
                into,
                torch.view_as_complex(self.C),
                self.D,
                initial_state=state,
                counts=count,
                return_state=True,
            )
        before = self._start(x, state)
        with full_precision(x):
            states = self._states(x, before, steps)
            y = self._skip(read(states, torch.view_as_complex(self.C)), x)
        if not return_state:
            return y, None
        modes = last_of(states, before.modes, count)
        if not rule.opens:
            return y, modes
        begun = torch.ones_like(before.begun)
        if count is not None:
            begun = torch.where(count[:, None] > 0, begun, before.begun)
        return y, Carried(modes, last_of(x, before.sample, count), begun)

    def _factors(self, ratio: float, x: Sequences) -> tuple[Tensor, Tensor]:
        """Return the decay and the input weights of a step by a rule that holds the input."""
        if self.discretization == "zoh":
            poles = self.log_dt, self.log_decay, self.frequency
            return zoh_factors(*poles, self.B, u=x, ratio=ratio)
        factors = self._discretise(ratio)
        return factors.decay, factors.now[:, None] * torch.view_as_complex(self.B)

    def _states(
        self, x: Sequences, before: "Carried", steps: Steps
    ) -> Complex[Tensor, "batch time mode"]:
        """Return all states where the step varies, or where the first sample opens an interval."""
        if self.discretization == "zoh":
            dt = self.log_dt.exp()
            drive = self._project(x, dt[:, None])
            ratios = steps.weights(x)
            return held_scan(drive, self.modes * dt, ratios, initial_state=before.modes)
        varying = isinstance(steps.ratio, Tensor)
        factors = self._discretise(steps.weights(x)[..., None] if varying else steps.ratio)
        drive = self._drive(x, before, factors)
        return linear_scan(factors.decay, drive, initial_state=before.modes)

    def _advance(
        self, x_t: Float[Tensor, "batch channel"], state: Any, ratio: Tensor
    ) -> tuple[Float[Tensor, "batch channel"], State]:
        factors = self._discretise(ratio)
        carried = self._start(x_t, state) if self._opens else None
        before = state if carried is None else carried.modes
        with full_precision(x_t):
            drive = factors.now * self._project(x_t)
            if carried is not None and factors.before is not None:
                drive = carried.begun * (drive + factors.before * self._project(carried.sample))
            modes = drive if before is None else torch.addcmul(drive, factors.decay, before)
            y = self._skip(read(modes, torch.view_as_complex(self.C)), x_t)
        if carried is None:
            return y, modes
        return y, Carried(modes, x_t, torch.ones_like(carried.begun))

    @property
    def _opens(self) -> bool:
        return DISCRETIZATIONS[self.discretization].opens

    def _discretise(self, ratio: float | Tensor) -> "Factors":
        """Return the factors of a step, `(mode,)` or `(..., mode)` as the ratio has axes."""
        rule = DISCRETIZATIONS[self.discretization]
        dt = ratio * self.log_dt.exp()
        z = self.modes * dt
        before = None if rule.before is None else rule.before(z, dt)
        return Factors(rule.decay(z), rule.now(z, dt), before)

    def _start(self, x: Tensor, state: Any) -> "Carried":
        """Return what was carried, or rest."""
        batch = x.shape[0]
        if isinstance(state, tuple | list):
            return Carried(*state)
        modes = state
        if state is None:
            modes = torch.view_as_complex(self.log_dt.new_zeros(batch, self.n_state // 2, 2))
        return Carried(modes, x.new_zeros(batch, self.d_model), self.log_dt.new_zeros(batch, 1))

    def _drive(
        self, x: Sequences, carried: "Carried", factors: "Factors"
    ) -> Complex[Tensor, "batch time mode"]:
        """Return what each sample adds to the state."""
        pushed = self._project(x)
        if factors.before is None:
            return factors.now * pushed
        earlier = torch.cat([self._project(carried.sample)[:, None], pushed[:, :-1]], 1)
        drive = factors.now * pushed + factors.before * earlier
        # the first sample of all opens the first interval, at whose start the state is 0
        return torch.cat([drive[:, :1] * carried.begun[..., None], drive[:, 1:]], 1)

    def _project(self, x: Tensor, factor: Tensor | float = 1.0) -> Complex[Tensor, "*batch mode"]:
        """Return `factor B x`."""
        return project(x.to(self.B.dtype), factor * torch.view_as_complex(self.B))

    def _skip(self, y: Tensor, x: Tensor) -> Tensor:
        """Return `y + D x` in the dtype of x."""
        y = y if self.D is None else torch.addcmul(y, self.D, x.to(y.dtype))
        return y.to(x.dtype)


class Factors(NamedTuple):
    """What one step does: `x_k = decay x_{k-1} + now B u_k + before B u_{k-1}`."""

    decay: Tensor
    now: Tensor
    before: Tensor | None


class Carried(NamedTuple):
    """A state that the last sample belongs to, since the next interval begins at it."""

    modes: Complex[Tensor, "batch mode"]
    sample: Float[Tensor, "batch channel"]
    begun: Float[Tensor, "batch 1"]
    """1 once there was a sample, else 0."""


def _block_size(n_state: object, n_blocks: object) -> int:
    states, blocks = whole("n_state", n_state, least=2), positive_int("n_blocks", n_blocks)
    if states % (2 * blocks) or states // blocks > LARGEST_BLOCK:
        raise ConfigError(
            "the states do not fall into blocks of conjugate pairs",
            got=f"n_state={states}, n_blocks={blocks}",
            expected=f"n_state / n_blocks an even number, at most {LARGEST_BLOCK}",
            hint=f"n_state={2 * blocks * -(-states // (2 * blocks))}, or another n_blocks",
        )
    return states // blocks


def _lecun(shape: tuple[int, ...], fan_in: int) -> Tensor:
    """Return normal numbers cut off at two deviations, of variance `1 / fan_in`."""
    kind = torch.promote_types(torch.get_default_dtype(), torch.float32)
    numbers = torch.empty(shape, dtype=kind)  # half precision has no products of complex numbers
    return nn.init.trunc_normal_(numbers, a=-2, b=2) * (fan_in**-0.5 / _TRUNCATED)

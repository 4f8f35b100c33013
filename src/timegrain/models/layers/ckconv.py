"""CKConv: a convolution whose kernel is a small network of the time difference."""

import math
from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.utils.parametrizations import weight_norm

from timegrain.core.errors import ConfigError, ModelError
from timegrain.kernels.precision import full_precision
from timegrain.models.layer import SequenceLayer, Sequences
from timegrain.models.layers.kernel_sums import convolved, summed
from timegrain.models.options import flag, positive_int, real
from timegrain.models.state import State
from timegrain.models.steps import Steps


class CKConv(SequenceLayer):
    r"""A causal convolution over all channels whose kernel is a sine network of `t - t_j`.

    Args:
        d_model: Channels.
        skip: Changes nothing, since the layer has no skip term; every layer can be built alike.
        length: What the kernel spans, in steps of the training grid: the length of the sequences
            to train on. It is zero beyond.
        d_hidden: Units of either hidden layer of the network.
        omega: Factor before each sine, `omega_0`: the larger, the faster kernels may vary.

    Raises:
        ConfigError: If an option is outside its domain.

    Math:
        `y(t_k) = b + g sum_j s_j psi(t_k - t_j) x(t_j)`, over `0 <= t_k - t_j < length`, with
        `psi(r) = W_3 sin(omega (W_2 sin(omega (w_1 p + b_1)) + b_2)) + b_3`, `p` from -1 at `r = 0`
        to 1 at `r = length - 1`, rows of `W_i` each of a length that is learnt apart. The sum is
        that of a right-sided rectangle rule, so `tau` enters at the times and as `s_j`. At the
        start `w_1` and every `b_i` are uniform in `[-1, 1]`, entries of `W_2` and `W_3` within
        `sqrt(6 / d_hidden) / omega`. `g = 1 / sqrt(d_model length)` keeps the variance of y near
        that of x whatever the length; the first paper has no such factor, and outputs that grow
        with the length.

    Source:
        Romero et al., CKConv: Continuous Kernel Convolution For Sequential Data (ICLR 2022, arXiv
        2102.02611): section 4.1 for the kernel as a network with sines, weight norm and `omega_0`,
        4.3 for another sampling rate, where the kernel is multiplied by the ratio of rates;
        weights at the start as in the authors' code (dwromero/ckconv, ckconv/nn/ckconv.py), which
        also blurs kernels at finer rates: not done here, where finer grids shall converge. `g`:
        Knigge et al., Modelling Long Range Dependencies in ND (ICLR 2023, arXiv 2301.10540),
        section 3.2.

    Example:
        >>> layer = CKConv(4, length=30)
        >>> layer(torch.randn(2, 60, 4), 0.5).shape
        torch.Size([2, 60, 4])
    """

    steps = False

    def __init__(
        self,
        d_model: int,
        *,
        skip: bool = True,
        length: int = 1024,
        d_hidden: int = 32,
        omega: float = 30.0,
    ) -> None:
        super().__init__(d_model)
        flag("skip", skip)
        self.length = positive_int("length", length)
        self.omega = real("omega", omega)
        if self.omega <= 0:
            raise ConfigError("omega is a frequency", got=omega, expected="a positive number")
        d_hidden = positive_int("d_hidden", d_hidden)
        bound = math.sqrt(6 / d_hidden) / self.omega
        self.first = _normed(1, d_hidden, 1.0)
        self.second = _normed(d_hidden, d_hidden, bound)
        self.third = _normed(d_hidden, d_model * d_model, bound)
        self.bias = nn.Parameter(torch.zeros(d_model))

    @property
    def order(self) -> int:
        """1: the sums are right-sided Riemann sums."""
        return 1

    def dynamics_parameters(self) -> Iterator[nn.Parameter]:
        """Iterate the weights of the first layer, which are frequencies of the kernel."""
        yield from self.first.parameters()

    @property
    def _precision(self) -> torch.dtype:
        return self.bias.dtype

    def features(self, lags: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape feature"]:
        """Return what the kernel is a linear function of, zero where it is.

        Args:
            lags: `(t_k - t_j) / dt_trained`, any shape.

        Returns:
            The last hidden layer and, for its bias, a one.
        """
        place = (2 / max(self.length - 1, 1) * lags - 1).to(self.bias.dtype)[..., None]
        hidden = torch.sin(self.omega * self.first(place))
        hidden = torch.sin(self.omega * self.second(hidden))
        inside = ((lags >= 0) & (lags < self.length))[..., None]
        return torch.cat([hidden, torch.ones_like(place)], -1) * inside

    @property
    def _readout(self) -> Float[Tensor, "out in feature"]:
        """What makes the kernel of each pair of channels from the features."""
        both = torch.cat([self.third.weight, self.third.bias[:, None]], 1)
        scale = 1 / math.sqrt(self.d_model * self.length)
        return scale * both.unflatten(0, (self.d_model, self.d_model))

    def _mix(
        self, x: Sequences, state: State | None, steps: Steps, *, return_state: bool
    ) -> tuple[Sequences, State | None]:
        if state is not None:
            raise ModelError("a convolution with a kernel of all lengths cannot go on from a state")
        kind = self.bias.dtype
        with full_precision(x):
            u = x.to(kind)
            if isinstance(steps.ratio, float):
                span = min(x.shape[1], math.ceil(self.length / steps.ratio))
                lags = steps.ratio * torch.arange(span, device=x.device, dtype=torch.float64)
                y = convolved(steps.ratio * u, self.features(lags), self._readout)
            else:
                weights = steps.weights(x)
                clock = weights.double().cumsum(1)
                y = summed(u * weights[..., None].to(kind), clock, self.features, self._readout)
            return (y + self.bias).to(x.dtype), None

    def _advance(
        self, x_t: Float[Tensor, "batch channel"], state: State | None, ratio: Tensor
    ) -> tuple[Float[Tensor, "batch channel"], State]:
        raise ModelError("CKConv cannot step", hint="forward() instead")


def _normed(d_input: int, d_output: int, bound: float) -> nn.Linear:
    """Return a linear layer whose rows have a length of their own, drawn as SIREN does."""
    linear = nn.Linear(d_input, d_output)
    nn.init.uniform_(linear.weight, -bound, bound)
    nn.init.uniform_(linear.bias, -1.0, 1.0)
    return weight_norm(linear)

"""TCN: dilated causal convolutions over samples; cannot be told its step."""

from functools import cached_property
from typing import cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from timegrain.models.layer import SequenceLayer, Sequences
from timegrain.models.options import flag, fraction, whole
from timegrain.models.state import State
from timegrain.models.state_form import Form, Part
from timegrain.models.steps import Steps

MOST_LEVELS = 16  # the last convolution then reaches back 2^15 samples a tap
Channels = Float[Tensor, "batch channel time"]


class CausalConv(nn.Module):
    """A convolution over the past alone, with weight norm, whose past can be given.

    Args:
        width: Channels in and out.
        kernel_size: Taps.
        dilation: Samples from tap to tap.

    Math:
        `y_k = b + sum_i g v_i / |v| u_{k - (kernel_size - 1 - i) dilation}`, the norm of `v` for
        each output channel; g starts as that norm.

    Source:
        Salimans, Kingma, Weight Normalization (NeurIPS 2016), eq. (2).
    """

    def __init__(self, width: int, *, kernel_size: int, dilation: int) -> None:
        super().__init__()
        self.dilation, self.reach = dilation, (kernel_size - 1) * dilation
        like = nn.Conv1d(width, width, kernel_size)
        self.direction, self.bias = nn.Parameter(like.weight.detach()), like.bias
        self.gain = nn.Parameter(torch.linalg.vector_norm(self.direction.detach(), dim=(1, 2)))

    @property
    def weight(self) -> Float[Tensor, "out channel tap"]:
        """The kernel."""
        size = torch.linalg.vector_norm(self.direction, dim=(1, 2))
        return self.direction * (self.gain / size)[:, None, None]

    def forward(self, past: Channels, u: Channels) -> Channels:
        """Return the outputs.

        Args:
            past: The `reach` inputs before `u`, `(batch, channel, reach)`.
            u: Inputs, `(batch, channel, time)`.
        """
        return F.conv1d(
            torch.cat([past, u], -1), self.weight, cast(Tensor, self.bias), dilation=self.dilation
        )


class TCN(SequenceLayer):
    r"""Residual blocks of two dilated causal convolutions each; any tau is accepted, none is used.

    Args:
        d_model: Channels, also inside.
        skip: Changes nothing: the residual connections are part of the blocks; every layer can be
            built alike.
        kernel_size: Taps of each convolution, at least 2.
        n_levels: Residual blocks; the dilation of block i, from 0 on, is `2^i`. At most 16.
        channel_dropout: Share of whole channels dropped after each convolution, in training.

    Raises:
        ConfigError: If an option is outside its domain.

    Math:
        `h_0 = u`, `h_{i+1} = relu(h_i + f_i(h_i))`, `f_i` twice convolution, relu, dropout;
        `y = h_{n_levels}`. An output depends on the last `1 + 2 (kernel_size - 1) (2^n_levels - 1)`
        samples, whatever time they span.

    Source:
        Bai, Kolter, Koltun, An Empirical Evaluation of Generic Convolutional and Recurrent Networks
        for Sequence Modeling (2018, arXiv 1803.01271), sections 3.1 to 3.4 and figure 1; their
        1x1 convolution of the input where widths differ has no place here.

    Example:
        >>> y, past = TCN(4, n_levels=3).scan(torch.randn(2, 30, 4), tau=0.5)
        >>> y.shape, [p.shape[2] for p in past]
        (torch.Size([2, 30, 4]), [2, 2, 4, 4, 8, 8])
    """

    takes_tau = False

    def __init__(
        self,
        d_model: int,
        *,
        skip: bool = True,
        kernel_size: int = 3,
        n_levels: int = 4,
        channel_dropout: float = 0.0,
    ) -> None:
        super().__init__(d_model)
        flag("skip", skip)
        whole("kernel_size", kernel_size, least=2)
        whole("n_levels", n_levels, least=1, most=MOST_LEVELS)
        self.convolutions = nn.ModuleList(
            CausalConv(d_model, kernel_size=kernel_size, dilation=2**level)
            for level in range(n_levels)
            for _ in range(2)
        )
        self.dropout = nn.Dropout1d(fraction("channel_dropout", channel_dropout))

    @property
    def order(self) -> int:
        """1: on ever finer grids it tends at first order to a function of the input of now."""
        return 1

    @property
    def receptive_field(self) -> int:
        """The samples that an output depends on, its own among them."""
        return 1 + sum(cast(CausalConv, c).reach for c in self.convolutions)

    @cached_property
    def _form(self) -> Form:
        return tuple(Part((self.d_model, cast(CausalConv, c).reach)) for c in self.convolutions)

    @property
    def _precision(self) -> torch.dtype:
        return cast(Tensor, self.convolutions[0].bias).dtype

    def _mix(
        self, x: Sequences, state: State | None, steps: Steps, *, return_state: bool
    ) -> tuple[Sequences, State | None]:
        lengths = None if steps.valid is None else steps.valid.sum(1)
        h = residual = x.transpose(1, 2)
        after = []
        for i, module in enumerate(self.convolutions):
            convolution = cast(CausalConv, module)
            if state is None:
                past = h.new_zeros(*h.shape[:2], convolution.reach)
            else:
                past = cast(Tensor, state[i]).to(h.dtype)
            if return_state:
                after.append(_latest(past, h, lengths))
            h = self.dropout(F.relu(convolution(past, h)))
            if i % 2:
                h = residual = F.relu(residual + h)
        return h.transpose(1, 2), tuple(after) if return_state else None

    def _advance(
        self, x_t: Float[Tensor, "batch channel"], state: State | None, ratio: Tensor
    ) -> tuple[Float[Tensor, "batch channel"], State]:
        y, after = self._mix(x_t[:, None], state, Steps(ratio=1.0), return_state=True)
        return y[:, 0], cast(State, after)


def _latest(past: Channels, u: Channels, lengths: Int[Tensor, " batch"] | None) -> Channels:
    """Return as many of the last inputs as `past` has, padding left out."""
    reach, both = past.shape[-1], torch.cat([past, u], -1)
    if lengths is None:
        return both[..., both.shape[-1] - reach :].clone()
    place = lengths[:, None] + torch.arange(reach, device=u.device)
    return both.gather(2, place[:, None].expand(-1, u.shape[1], -1))

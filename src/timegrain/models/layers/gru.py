"""GRU: a recurrence that counts samples and cannot be told its step."""

from functools import cached_property
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from timegrain.models.layer import SequenceLayer, Sequences
from timegrain.models.options import flag
from timegrain.models.state_form import Form, Part
from timegrain.models.steps import Steps


class GRU(SequenceLayer):
    """PyTorch's gated recurrent unit, one layer; any tau is accepted and none is used.

    Args:
        d_model: Channels, and hidden units.
        skip: Changes nothing, since a GRU has no skip term; every layer can be built alike.

    Source:
        Cho et al., Learning Phrase Representations using RNN Encoder-Decoder (EMNLP 2014),
        section 2.3; PyTorch resets the product with the state, not the state before the product.

    Example:
        >>> y, state = GRU(4).scan(torch.randn(2, 30, 4), tau=0.5)
        >>> y.shape, state.shape
        (torch.Size([2, 30, 4]), torch.Size([2, 4]))
    """

    takes_tau = False

    def __init__(self, d_model: int, *, skip: bool = True) -> None:
        super().__init__(d_model)
        flag("skip", skip)
        self.cell = nn.GRU(d_model, d_model, batch_first=True)

    @property
    def order(self) -> int:
        """1: on ever finer grids it tends at first order to a function of the input of now."""
        return 1

    @cached_property
    def _form(self) -> Form:
        return Part((self.d_model,))

    @property
    def _precision(self) -> torch.dtype:
        return cast(Tensor, self.cell.weight_hh_l0).dtype

    def _mix(
        self, x: Sequences, state: Tensor | None, steps: Steps, *, return_state: bool
    ) -> tuple[Sequences, Tensor | None]:
        start = self._start(x, state)
        y, last = self.cell(x, start[None])
        if steps.valid is None:
            return y, last[0]
        states = torch.cat([start[:, None], y], dim=1)
        return y, states[torch.arange(x.shape[0], device=x.device), steps.valid.sum(1)]

    def _advance(
        self, x_t: Float[Tensor, "batch channel"], state: Tensor | None, ratio: Tensor
    ) -> tuple[Float[Tensor, "batch channel"], Tensor]:
        y, last = self.cell(x_t[:, None], self._start(x_t, state)[None])
        return y[:, 0], last[0]

    def _start(self, x: Tensor, state: Tensor | None) -> Float[Tensor, "batch channel"]:
        return x.new_zeros(x.shape[0], self.d_model) if state is None else state

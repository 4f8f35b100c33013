"""LSTM: a recurrence with a cell that counts samples and cannot be told its step."""

from functools import cached_property
from typing import Any, NamedTuple, cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from timegrain.models.layer import SequenceLayer, Sequences
from timegrain.models.options import flag
from timegrain.models.state_form import Form, Part
from timegrain.models.steps import Steps


class Memory(NamedTuple):
    """The state of an LSTM: its output of the last sample, and its cell."""

    hidden: Float[Tensor, "batch channel"]
    cell: Float[Tensor, "batch channel"]


class LSTM(SequenceLayer):
    """PyTorch's long short-term memory, one layer; any tau is accepted and none is used.

    Args:
        d_model: Channels, and hidden units.
        skip: Changes nothing, since an LSTM has no skip term; every layer can be built alike.

    Under `torch.autocast` on the CPU it computes in the precision of its weights: torch has an LSTM
    in half precision for some processors only, and raises on the others.

    Source:
        Hochreiter, Schmidhuber, Long Short-Term Memory (Neural Computation 9, 1997), with the
        forget gate of Gers, Schmidhuber, Cummins, Learning to Forget (Neural Computation 12,
        2000), section 3; without peepholes, as PyTorch has it.

    Example:
        >>> y, state = LSTM(4).scan(torch.randn(2, 30, 4), tau=0.5)
        >>> y.shape, state.hidden.shape, state.cell.shape
        (torch.Size([2, 30, 4]), torch.Size([2, 4]), torch.Size([2, 4]))
    """

    takes_tau = False

    def __init__(self, d_model: int, *, skip: bool = True) -> None:
        super().__init__(d_model)
        flag("skip", skip)
        self.cell = nn.LSTM(d_model, d_model, batch_first=True)

    @property
    def order(self) -> int:
        """1: on ever finer grids it tends at first order to a function of the input of now."""
        return 1

    @cached_property
    def _form(self) -> Form:
        part = Part((self.d_model,))
        return Memory._make((part, part))  # type: ignore[return-value]

    @property
    def _precision(self) -> torch.dtype:
        return cast(Tensor, self.cell.weight_hh_l0).dtype

    def _mix(
        self, x: Sequences, state: Memory | None, steps: Steps, *, return_state: bool
    ) -> tuple[Sequences, Memory | None]:
        start = self._start(x, state)
        if steps.valid is None or not return_state:
            y, (hidden, cell) = self._run(x, start.hidden, start.cell)
            return y, Memory(hidden[0], cell[0])
        return self._padded(x, start, steps.valid.sum(1))

    def _padded(
        self, x: Sequences, start: Memory, counts: Tensor
    ) -> tuple[Sequences, Memory | None]:
        """Scan up to each sequence's own end, since outputs do not hold the cells on the way."""
        y = x.new_zeros(x.shape)
        hidden, cell = start.hidden.clone(), start.cell.clone()
        begun = counts.nonzero()[:, 0]
        if len(begun):
            packed = nn.utils.rnn.pack_padded_sequence(
                x[begun], counts[begun].cpu(), batch_first=True, enforce_sorted=False
            )
            out, (last, kept) = self._run(packed, start.hidden[begun], start.cell[begun])
            filled, _ = nn.utils.rnn.pad_packed_sequence(
                out, batch_first=True, total_length=x.shape[1]
            )
            y = y.to(filled.dtype).index_copy(0, begun, filled)
            hidden = hidden.to(last.dtype).index_copy(0, begun, last[0])
            cell = cell.to(kept.dtype).index_copy(0, begun, kept[0])
        return y, Memory(hidden, cell)

    def _advance(
        self, x_t: Float[Tensor, "batch channel"], state: Memory | None, ratio: Tensor
    ) -> tuple[Float[Tensor, "batch channel"], Memory]:
        start = self._start(x_t, state)
        y, (hidden, cell) = self._run(x_t[:, None], start.hidden, start.cell)
        return y[:, 0], Memory(hidden[0], cell[0])

    def _run(self, x: Any, hidden: Tensor, cell: Tensor) -> Any:
        start = hidden[None], cell[None]
        if hidden.device.type != "cpu" or not torch.is_autocast_enabled("cpu"):
            return self.cell(x, start)
        with torch.autocast("cpu", enabled=False):
            own = self._precision
            return self.cell(x.to(own), tuple(part.to(own) for part in start))

    def _start(self, x: Tensor, state: Memory | None) -> Memory:
        if state is not None:
            return Memory(*state)
        rest = x.new_zeros(x.shape[0], self.d_model)
        return Memory(rest, rest)

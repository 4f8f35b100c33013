"""What a discretisation of order 2 carries besides its system: the sample that opens a step."""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from timegrain.models.state_form import Form, Part

Sequences = Float[Tensor, "batch time channel"]


class Opened(NamedTuple):
    """State of a layer whose steps are opened by the sample before.

    Args:
        system: State of the linear system after the last sample, the batch first.
        sample: The last sample, `(batch, channel)`.
        begun: 1 where there has been a sample, 0 where the next one is the first, `(batch, 1)`.
    """

    system: Tensor
    sample: Float[Tensor, "batch channel"]
    begun: Float[Tensor, "batch 1"]


def form_of(decays: Float[Tensor, "channel mode"], opens: bool, *, apart: bool = False) -> Form:
    """Return the form of the states of a system in each channel.

    Args:
        decays: One number a mode.
        opens: Whether steps are opened by the sample before.
        apart: Whether real and imaginary part are apart, on an axis of their own.
    """
    shape = tuple(decays.shape)
    system = Part((*shape, 2)) if apart else Part(shape, complex=True)
    if not opens:
        return system
    return Opened._make((system, Part((len(decays),)), Part((1,))))  # type: ignore[return-value]


def samples_before(x: Sequences, state: Opened | None) -> tuple[Sequences, Float[Tensor, "b 1"]]:
    """Return the sample before each one, and `begun` of the sequences.

    Args:
        x: Samples, `(batch, time, channel)`.
        state: Where they go on from; None is rest. A first sample has zeros before it.

    Example:
        >>> x = torch.tensor([[[5.0], [7.0]]])
        >>> samples_before(x, None)
        (tensor([[[0.],
                 [5.]]]), tensor([[0.]]))
    """
    if state is None:
        first, begun = torch.zeros_like(x[:, 0]), x.new_zeros(len(x), 1)
    else:
        first, begun = state.sample.to(x.dtype), state.begun.to(x.dtype)
    return torch.cat([first[:, None], x[:, :-1]], 1), begun


def opened(
    system: Tensor, x: Sequences, lengths: Int[Tensor, " batch"] | None, state: Opened | None
) -> Opened:
    """Return the state after the last valid sample of each sequence.

    Args:
        system: State of the linear system there.
        x: Samples, `(batch, time, channel)`.
        lengths: Valid samples, `(batch,)`; None when all are.
        state: State before them; None is rest.
    """
    if lengths is None:
        return Opened(system, x[:, -1], x.new_ones(len(x), 1))
    before, begun = samples_before(x, state)
    some = (lengths > 0)[:, None]
    rows = torch.arange(len(x), device=x.device)
    last = torch.where(some, x[rows, (lengths - 1).clamp(min=0)], before[:, 0])
    return Opened(system, last, torch.where(some, 1.0, begun))

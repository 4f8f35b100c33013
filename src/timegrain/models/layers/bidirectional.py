"""A layer and its like that reads time backwards, added."""

from collections.abc import Iterator

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from timegrain.core.errors import ConfigError, ModelError
from timegrain.models.layer import SequenceLayer, Sequences
from timegrain.models.steps import Steps


class Bidirectional(SequenceLayer):
    """The sum of a layer on the sequence and another on its valid samples in reverse.

    Each output has seen the whole sequence, so that there is nothing to step: `steps` is False.

    Args:
        ahead: The layer that reads time forwards.
        back: The layer that reads it backwards; of the same width.

    Raises:
        ConfigError: If the widths differ.

    Math:
        `y_k = ahead(u)_k + back(reversed u)_k`. Backwards, sample k is brought in over the step
        between it and the one after it, `s_{k+1}`, and the last sample, which comes first, over
        its own `s_n`.

    Source:
        Schuster, Paliwal, Bidirectional Recurrent Neural Networks (IEEE Trans. Signal Processing
        45(11), 1997); the sum as in Smith, Warrington, Linderman, Simplified State Space Layers
        for Sequence Modeling (ICLR 2023), whose code gives both directions output weights and adds.

    Example:
        >>> from timegrain.models import GRU
        >>> layer = Bidirectional(GRU(4), GRU(4))
        >>> layer(torch.randn(2, 30, 4), lengths=torch.tensor([30, 7])).shape
        torch.Size([2, 30, 4])
    """

    steps = False

    def __init__(self, ahead: SequenceLayer, back: SequenceLayer) -> None:
        super().__init__(ahead.d_model)
        if ahead.d_model != back.d_model:
            raise ConfigError(
                "both directions have the same width", got=f"{ahead.d_model} and {back.d_model}"
            )
        self.ahead, self.back = ahead, back
        self.takes_tau = ahead.takes_tau and back.takes_tau

    @property
    def order(self) -> int:
        """The lower of the two layers' orders."""
        return min(self.ahead.order, self.back.order)

    def dynamics_parameters(self) -> Iterator[nn.Parameter]:
        """Iterate those of both layers."""
        yield from self.ahead.dynamics_parameters()
        yield from self.back.dynamics_parameters()

    def _mix(
        self, x: Sequences, state: object, steps: Steps, *, return_state: bool
    ) -> tuple[Sequences, None]:
        if state is not None or return_state:
            raise ModelError("Bidirectional keeps no state", hint="forward() instead")
        lengths = None if steps.valid is None else steps.valid.sum(1)
        turn = _turn(x, lengths)
        tau = steps.ratio
        if isinstance(tau, Tensor):
            own = torch.arange(x.shape[1], device=x.device) == (
                x.shape[1] - 1 if lengths is None else lengths[:, None] - 1
            )
            tau = torch.where(own, tau, tau.roll(-1, 1)).gather(1, turn)
        reverse = turn[..., None].expand_as(x)
        backwards = self.back(x.gather(1, reverse), tau, lengths=lengths).gather(1, reverse)
        ahead: Tensor = self.ahead(x, steps.ratio, lengths=lengths)
        return ahead + backwards, None

    def _advance(
        self, x_t: Float[Tensor, "batch channel"], state: object, ratio: Tensor
    ) -> tuple[Float[Tensor, "batch channel"], Tensor]:
        raise ModelError("Bidirectional cannot step", hint="forward() instead")


def _turn(x: Tensor, lengths: Int[Tensor, " batch"] | None) -> Int[Tensor, "batch time"]:
    """Return where each sample comes from in the reverse; padding stays where it is."""
    place = torch.arange(x.shape[1], device=x.device).expand(x.shape[:2])
    if lengths is None:
        return place.flip(1)
    mirrored = lengths[:, None] - 1 - place
    return torch.where(mirrored >= 0, mirrored, place)

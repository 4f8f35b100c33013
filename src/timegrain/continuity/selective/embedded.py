"""A Mamba network of tokens that is given real numbers in the place of their embeddings."""

from torch import nn

from timegrain.models.huggingface.network import MambaNetwork
from timegrain.models.layer import SequenceLayer, Sequences
from timegrain.models.steps import Tau


class Embedded(nn.Module):
    """The blocks and the last norm of a network.

    Args:
        network: The network; its embedding and head are left aside.
    """

    def __init__(self, network: MambaNetwork) -> None:
        super().__init__()
        self.blocks, self.norm = network.blocks, network.norm
        self.d_input = network.settings.hidden_size

    @property
    def mixers(self) -> tuple[SequenceLayer, ...]:
        """The sequence layers, first block first."""
        return tuple(block.mixer for block in self.blocks)  # type: ignore[misc]

    def forward(self, h: Sequences, tau: Tau = 1.0) -> Sequences:
        """Return the last hidden states.

        Args:
            h: In the place of embedded tokens.
            tau: As in `SequenceLayer.forward`.
        """
        for block in self.blocks:
            h = block(h, tau)
        out: Sequences = self.norm(h)
        return out

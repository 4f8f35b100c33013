"""One residual block: norm, sequence layer, gated linear unit."""

from jaxtyping import Int
from torch import Tensor, nn
from torch.nn import functional as F

from timegrain.models.layer import SequenceLayer, Sequences
from timegrain.models.steps import Tau


class Block(nn.Module):
    """`h + dropout(GLU(W gelu(mixer(norm(h)))))`.

    Args:
        mixer: The layer that mixes in time.
        dropout: Share of channels dropped.
    """

    def __init__(self, mixer: SequenceLayer, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(mixer.d_model)
        self.mixer = mixer
        self.gate = nn.Linear(mixer.d_model, 2 * mixer.d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, h: Sequences, tau: Tau = 1.0, *, lengths: Int[Tensor, " batch"] | None = None
    ) -> Sequences:
        """Return the block's output at every sample; arguments as in `SequenceLayer.forward`."""
        # The layer is called, not its scan(), so that hooks on it fire.
        return self._add(h, self.mixer(self.norm(h), tau, lengths=lengths))

    def scan(
        self,
        h: Sequences,
        state: Tensor | None = None,
        *,
        tau: Tau = 1.0,
        lengths: Int[Tensor, " batch"] | None = None,
    ) -> tuple[Sequences, Tensor]:
        """Return the block's output and its layer's state; arguments as in `SequenceLayer.scan`."""
        mixed, after = self.mixer.scan(self.norm(h), state, tau=tau, lengths=lengths)
        return self._add(h, mixed), after

    def _add(self, h: Sequences, mixed: Sequences) -> Sequences:
        out: Tensor = h + self.dropout(F.glu(self.gate(F.gelu(mixed)), dim=-1))
        return out

"""What a backbone is apart from its layers."""

from dataclasses import dataclass

from timegrain.core.errors import ConfigError
from timegrain.models.options import flag, fraction, one_of, positive_int

HEADS = ("mean", "last", "step")


@dataclass(frozen=True, kw_only=True)
class Frame:
    """What a backbone is apart from its layers.

    Args:
        d_output: Numbers the head gives: classes, or values.
        d_model: Channels between the encoder and the head.
        n_layers: Blocks.
        d_input: Channels of a real input; exactly one of this and `vocab`.
        vocab: Number of tokens; the input is then `(batch, time)` whole numbers.
        head: `"mean"` over valid samples, `"last"` valid sample, or every `"step"`.
        dropout: Share of channels dropped after the gated linear unit.
        final_norm: Whether a LayerNorm stands before the head.

    Raises:
        ConfigError: If a value is outside its domain.
    """

    d_output: int
    d_model: int
    n_layers: int
    d_input: int | None = None
    vocab: int | None = None
    head: str = "mean"
    dropout: float = 0.0
    final_norm: bool = False

    def __post_init__(self) -> None:
        for name in ("d_output", "d_model", "n_layers"):
            positive_int(name, getattr(self, name))
        one_of("head", self.head, HEADS)
        fraction("dropout", self.dropout)
        flag("final_norm", self.final_norm)
        if (self.d_input is None) == (self.vocab is None):
            raise ConfigError(
                "the network needs to know its input",
                got=f"d_input={self.d_input}, vocab={self.vocab}",
                expected="d_input for real channels or vocab for tokens, and not both",
            )
        for name in ("d_input", "vocab"):
            if getattr(self, name) is not None:
                positive_int(name, getattr(self, name))

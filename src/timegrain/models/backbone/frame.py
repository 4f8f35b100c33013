"""What a backbone is apart from its layers."""

from dataclasses import dataclass

from timegrain.core.errors import ConfigError
from timegrain.models.backbone.norms import NORMS
from timegrain.models.options import flag, fraction, one_of, positive_int

HEADS = ("mean", "last", "step")
NORM_POSITIONS = ("pre", "post")
MIXES = ("glu", "mlp", "none")


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
        dropout: Share of numbers dropped at the end of each residual branch.
        final_norm: Whether a norm stands before the head.
        norm: `"layer"`; `"batch"`, over all valid samples of a batch; or `"rms"`.
        norm_position: `"pre"`, at the beginning of each residual branch, or `"post"`, after its
            sum with what it adds to.
        mix: What follows each layer: a gated linear unit `"glu"`, a branch of its own with a
            hidden layer `"mlp"`, or `"none"`.
        bidirectional: Whether each block has a second layer that reads time backwards; such a
            network needs whole sequences.

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
    norm: str = "layer"
    norm_position: str = "pre"
    mix: str = "glu"
    bidirectional: bool = False

    def __post_init__(self) -> None:
        for name in ("d_output", "d_model", "n_layers"):
            positive_int(name, getattr(self, name))
        one_of("head", self.head, HEADS)
        fraction("dropout", self.dropout)
        flag("final_norm", self.final_norm)
        one_of("norm", self.norm, NORMS)
        one_of("norm_position", self.norm_position, NORM_POSITIONS)
        one_of("mix", self.mix, MIXES)
        flag("bidirectional", self.bidirectional)
        if (self.d_input is None) == (self.vocab is None):
            raise ConfigError(
                "the network needs to know its input",
                got=f"d_input={self.d_input}, vocab={self.vocab}",
                expected="d_input for real channels or vocab for tokens, and not both",
            )
        for name in ("d_input", "vocab"):
            if getattr(self, name) is not None:
                positive_int(name, getattr(self, name))

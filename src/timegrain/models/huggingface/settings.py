"""What every configuration of a network says, whatever its layers."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from torch import Tensor

from timegrain.core.errors import ModelError
from timegrain.models.layer import SequenceLayer
from timegrain.models.options import flag, positive_real, shown, whole

Shape = tuple[int, ...]
LARGEST = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class NetworkSettings(ABC):
    """Sizes and options of a network under the names of its configuration.

    A subclass describes one architecture: it gives the defaults of its format, and writes the three
    methods below. Its `layer_shapes` and `layer_tensors` use the names of a saved file.

    Args:
        vocab_size: Tokens.
        hidden_size: Channels between the blocks.
        num_hidden_layers: Blocks.
        state_size: States per inner channel.
        expand: Inner channels per channel.
        conv_kernel: Samples that the short convolution spans.
        use_bias: Whether the outer projections of a block have a bias.
        use_conv_bias: Whether the short convolution has one.
        layer_norm_epsilon: Of the norms, > 0.
        tie_word_embeddings: Whether the head has the weights of the embedding.

    Attributes:
        model_type: What `config.json` calls the architecture.
        title: What people call it.
        architectures: Classes whose weights are known, with a head and without.

    Raises:
        ConfigError: If a value is outside its domain.
    """

    model_type: ClassVar[str]
    title: ClassVar[str]
    architectures: ClassVar[tuple[str, str]]

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    state_size: int
    expand: int = 2
    conv_kernel: int = 4
    use_bias: bool = False
    use_conv_bias: bool = True
    layer_norm_epsilon: float = 1e-5
    tie_word_embeddings: bool

    def __post_init__(self) -> None:
        sizes = ("vocab_size", "hidden_size", "num_hidden_layers", "state_size", "expand")
        for name in (*sizes, "conv_kernel"):
            whole(name, getattr(self, name), least=1, most=LARGEST)
        for name in ("use_bias", "use_conv_bias", "tie_word_embeddings"):
            flag(name, getattr(self, name))
        positive_real("layer_norm_epsilon", self.layer_norm_epsilon)

    @classmethod
    def from_config(cls, said: Mapping[str, Any]) -> Self:
        """Return what a configuration says; what it leaves open, or says is null, is the default.

        Args:
            said: The configuration.

        Raises:
            ConfigError: If a value is outside its domain.
            ModelError: If it contradicts itself.
        """
        names = {field.name for field in fields(cls)} & said.keys()
        settings = cls(**{name: said[name] for name in names if said[name] is not None})
        inner = said.get("intermediate_size")
        if inner not in (None, settings.inner):
            raise ModelError(
                "config.json contradicts itself",
                got=f"intermediate_size {shown(inner)}, expand {settings.expand}",
                expected=f"intermediate_size = expand * hidden_size, {settings.hidden_size} times",
            )
        return settings

    @property
    def inner(self) -> int:
        """Channels inside a block."""
        return self.expand * self.hidden_size

    @abstractmethod
    def layer(self) -> SequenceLayer:
        """Return a layer of these sizes."""

    @abstractmethod
    def layer_shapes(self) -> dict[str, Shape]:
        """Return the shape of every tensor that is saved of a layer."""

    @abstractmethod
    def layer_tensors(self, saved: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Return the tensors of a layer of ours from those that were saved of one.

        Args:
            saved: Of the names and shapes of `layer_shapes`.
        """


def with_bias(name: str, shape: Shape, has_bias: bool) -> dict[str, Shape]:
    """Return the shapes of a weight and, if there is one, of its bias.

    Example:
        >>> with_bias("in_proj", (6, 2), True)
        {'in_proj.weight': (6, 2), 'in_proj.bias': (6,)}
    """
    shapes: dict[str, Shape] = {f"{name}.weight": shape}
    return shapes | {f"{name}.bias": shape[:1]} if has_bias else shapes

"""What `config.json` says of a Mamba network."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from timegrain.core.errors import ConfigError, ModelError
from timegrain.models.options import flag, one_of, real, shown, whole

FILE = "config.json"
ARCHITECTURES = ("MambaForCausalLM", "MambaModel")
_LARGEST = 2**31 - 1
_OTHERS = {
    "mamba2": "Mamba-2, whose heads share one pole each, is another layer",
    "falcon_mamba": "FalconMamba normalises Delta, B and C inside the block, which Mamba does not",
    "jamba": "Jamba mixes attention, experts and Mamba with inner norms",
}


@dataclass(frozen=True, kw_only=True)
class MambaSettings:
    """A Mamba network under the names of its configuration, with the defaults of the format.

    Args:
        vocab_size: Tokens.
        hidden_size: Channels between the blocks.
        num_hidden_layers: Blocks.
        state_size: States per inner channel.
        expand: Inner channels per channel.
        conv_kernel: Samples that the short convolution spans.
        time_step_rank: Of the projection to `Delta`; None for `ceil(hidden_size / 16)`.
        use_bias: Whether the outer projections of a block have a bias.
        use_conv_bias: Whether the short convolution has one.
        layer_norm_epsilon: Of the norms, > 0.
        tie_word_embeddings: Whether the head has the weights of the embedding.

    Raises:
        ConfigError: If a value is outside its domain.
    """

    vocab_size: int = 50280
    hidden_size: int = 768
    num_hidden_layers: int = 32
    state_size: int = 16
    expand: int = 2
    conv_kernel: int = 4
    time_step_rank: int | None = None
    use_bias: bool = False
    use_conv_bias: bool = True
    layer_norm_epsilon: float = 1e-5
    tie_word_embeddings: bool = True

    def __post_init__(self) -> None:
        sizes = ("vocab_size", "hidden_size", "num_hidden_layers", "state_size", "expand")
        for name in (*sizes, "conv_kernel"):
            whole(name, getattr(self, name), least=1, most=_LARGEST)
        if self.time_step_rank is not None:
            whole("time_step_rank", self.time_step_rank, least=1, most=_LARGEST)
        for name in ("use_bias", "use_conv_bias", "tie_word_embeddings"):
            flag(name, getattr(self, name))
        if real("layer_norm_epsilon", self.layer_norm_epsilon) <= 0:
            raise ConfigError(
                "layer_norm_epsilon keeps a norm from a division by zero",
                got=self.layer_norm_epsilon,
                expected="> 0",
            )

    @property
    def rank(self) -> int:
        """Rank of the projection to `Delta`."""
        return self.time_step_rank or math.ceil(self.hidden_size / 16)


def read_settings(folder: Path) -> MambaSettings:
    """Return what `config.json` of a folder says.

    Args:
        folder: A folder that `save_pretrained` wrote.

    Raises:
        ModelError: If there is no such file, it cannot be read, or it describes another model
            than Mamba or one with parts that are not known here.
        ConfigError: If a value is outside its domain.
    """
    try:
        said = json.loads((folder / FILE).read_bytes())
    except OSError as error:
        raise ModelError(f"cannot read {FILE}", got=f"{folder} ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{FILE} is not JSON", got=str(error)[:60]) from error
    if not isinstance(said, dict):
        raise ModelError(
            f"{FILE} describes no model", got=type(said).__name__, expected="an object"
        )
    _check_kind(said)
    names = MambaSettings.__dataclass_fields__.keys() & said.keys()
    given = {name: said[name] for name in names if said[name] is not None}
    if given.get("time_step_rank") == "auto":
        del given["time_step_rank"]
    settings = MambaSettings(**given)
    inner = said.get("intermediate_size")
    if inner not in (None, settings.expand * settings.hidden_size):
        raise ModelError(
            f"{FILE} contradicts itself",
            got=f"intermediate_size {shown(inner)}, expand {settings.expand}",
            expected=f"intermediate_size = expand * hidden_size, {settings.hidden_size} times",
        )
    return settings


def _check_kind(said: Mapping[str, object]) -> None:
    kind = said.get("model_type")
    if kind != "mamba":
        raise ModelError(
            "this folder holds another model than Mamba",
            got=f"model_type {shown(kind)}",
            expected="'mamba'",
            hint=f"another folder: {_OTHERS[kind]}"
            if isinstance(kind, str) and kind in _OTHERS
            else None,
        )
    architectures = said.get("architectures") or list(ARCHITECTURES)
    listed = architectures if isinstance(architectures, list) else [architectures]
    if not (listed and all(name in ARCHITECTURES for name in listed)):
        raise ModelError(
            "this Mamba has a head that is not known here",
            got=f"architectures {shown(architectures)}",
            expected=" or ".join(ARCHITECTURES),
        )
    if said.get("quantization_config") is not None:
        raise ModelError(
            "the weights are quantised",
            got="quantization_config",
            hint="the folder of the model in full precision",
        )
    one_of("hidden_act", said.get("hidden_act", "silu"), ("silu", "swish"))

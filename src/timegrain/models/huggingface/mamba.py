"""Mamba, as `MambaForCausalLM` saves it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from torch import Tensor

from timegrain.models.huggingface.settings import LARGEST, NetworkSettings, Shape, with_bias
from timegrain.models.layers.mamba import Mamba
from timegrain.models.options import whole

_OUTER = ("in_proj", "out_proj")


@dataclass(frozen=True, kw_only=True)
class MambaSettings(NetworkSettings):
    """A Mamba network, with the defaults of its format.

    Args:
        time_step_rank: Of the projection to `Delta`; None for `ceil(hidden_size / 16)`.

    Raises:
        ConfigError: If a value is outside its domain.
    """

    model_type: ClassVar[str] = "mamba"
    title: ClassVar[str] = "Mamba"
    architectures: ClassVar[tuple[str, str]] = ("MambaForCausalLM", "MambaModel")

    vocab_size: int = 50280
    hidden_size: int = 768
    num_hidden_layers: int = 32
    state_size: int = 16
    tie_word_embeddings: bool = True
    time_step_rank: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.time_step_rank is not None:
            whole("time_step_rank", self.time_step_rank, least=1, most=LARGEST)

    @classmethod
    def from_config(cls, said: Mapping[str, Any]) -> Self:
        """Return what a configuration says; a rank of `"auto"` is left open."""
        rank = said.get("time_step_rank")
        return super().from_config({**said, "time_step_rank": None if rank == "auto" else rank})

    @property
    def rank(self) -> int:
        """Rank of the projection to `Delta`."""
        return self.time_step_rank or math.ceil(self.hidden_size / 16)

    def layer(self) -> Mamba:
        """Return a layer of these sizes."""
        return Mamba(self.hidden_size, **self._options())

    def _options(self) -> dict[str, Any]:
        return {
            "expand": self.expand,
            "d_conv": self.conv_kernel,
            "n_state": self.state_size,
            "rank": self.rank,
            "bias": self.use_bias,
            "conv_bias": self.use_conv_bias,
        }

    def layer_shapes(self) -> dict[str, Shape]:
        """Return the shape of every tensor that is saved of a layer."""
        width, inner, states = self.hidden_size, self.inner, self.state_size
        return {
            "A_log": (inner, states),
            "D": (inner,),
            **with_bias("in_proj", (2 * inner, width), self.use_bias),
            **with_bias("conv1d", (inner, 1, self.conv_kernel), self.use_conv_bias),
            **with_bias("dt_proj", (inner, self.rank), True),
            "x_proj.weight": (self.rank + 2 * states, inner),
            **with_bias("out_proj", (width, inner), self.use_bias),
        }

    def layer_tensors(self, saved: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Return the tensors of a layer of ours from those that were saved of one."""
        ours = {}
        for name, tensor in saved.items():
            part, _, rest = name.partition(".")
            if part == "conv1d":
                ours[f"conv.{rest}"] = tensor.flatten(1) if rest == "weight" else tensor
            else:
                ours[name if part in _OUTER else f"ssm.{name}"] = tensor
        return ours

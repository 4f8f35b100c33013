"""Mamba-2, as `Mamba2ForCausalLM` saves it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from timegrain.core.errors import ConfigError
from timegrain.models.huggingface.settings import LARGEST, NetworkSettings, Shape, with_bias
from timegrain.models.layers.mamba2 import Mamba2, grouped, step_limit
from timegrain.models.options import whole

_PARTS = {
    "A_log": "forget.A_log",
    "conv1d.bias": "conv.bias",
    "D": "D",
    "norm.weight": "norm.weight",
    "out_proj.weight": "out_proj.weight",
    "out_proj.bias": "out_proj.bias",
}


@dataclass(frozen=True, kw_only=True)
class Mamba2Settings(NetworkSettings):
    """A Mamba-2 network, with the defaults of its format.

    Args:
        num_heads: Heads, each with one decay.
        head_dim: Inner channels of a head; `num_heads * head_dim = expand * hidden_size`.
        n_groups: Groups of heads that share B and C.
        time_step_limit: Least and largest `Delta`.

    Raises:
        ConfigError: If a value is outside its domain.

    Note:
        `chunk_size` says how transformers adds up and changes no number; neither does
        `time_step_rank`. `rms_norm` changes none there either: the gated norm is in every network
        that transformers builds, with its weights in every folder, and so it is here.
    """

    model_type: ClassVar[str] = "mamba2"
    title: ClassVar[str] = "Mamba-2"
    architectures: ClassVar[tuple[str, str]] = ("Mamba2ForCausalLM", "Mamba2Model")

    vocab_size: int = 32768
    hidden_size: int = 4096
    num_hidden_layers: int = 64
    state_size: int = 128
    tie_word_embeddings: bool = False
    num_heads: int = 128
    head_dim: int = 64
    n_groups: int = 8
    time_step_limit: tuple[float, float] = (0.0, math.inf)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("num_heads", "head_dim"):
            whole(name, getattr(self, name), least=1, most=LARGEST)
        if self.num_heads * self.head_dim != self.inner:
            raise ConfigError(
                "the heads hold all inner channels",
                got=f"num_heads {self.num_heads}, head_dim {self.head_dim}",
                expected=f"num_heads * head_dim = expand * hidden_size, {self.inner}",
            )
        grouped(self.num_heads, self.n_groups)
        limit = step_limit("time_step_limit", self.time_step_limit)
        object.__setattr__(self, "time_step_limit", limit)  # JSON has lists

    def layer(self) -> Mamba2:
        """Return a layer of these sizes."""
        return Mamba2(
            self.hidden_size,
            expand=self.expand,
            n_state=self.state_size,
            n_heads=self.num_heads,
            n_groups=self.n_groups,
            d_conv=self.conv_kernel,
            dt_limit=None if self.time_step_limit == (0.0, math.inf) else self.time_step_limit,
            bias=self.use_bias,
            conv_bias=self.use_conv_bias,
            norm_eps=self.layer_norm_epsilon,
        )

    def layer_shapes(self) -> dict[str, Shape]:
        """Return the shape of every tensor that is saved of a layer."""
        width, inner, heads = self.hidden_size, self.inner, self.num_heads
        filtered = inner + 2 * self.n_groups * self.state_size
        return {
            "A_log": (heads,),
            "D": (heads,),
            "dt_bias": (heads,),
            **with_bias("in_proj", (inner + filtered + heads, width), self.use_bias),
            **with_bias("conv1d", (filtered, 1, self.conv_kernel), self.use_conv_bias),
            "norm.weight": (inner,),
            **with_bias("out_proj", (width, inner), self.use_bias),
        }

    def layer_tensors(self, saved: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Return the tensors of a layer of ours from those that were saved of one.

        Ours projects to `Delta` apart, with one bias: the sum of theirs.
        """
        ours = {_PARTS[name]: tensor for name, tensor in saved.items() if name in _PARTS}
        ours["conv.weight"] = saved["conv1d.weight"].flatten(1)
        step = len(saved["in_proj.weight"]) - self.num_heads
        # copies, so that no two tensors share one memory when they are saved again
        ours["in_proj.weight"] = saved["in_proj.weight"][:step].clone()
        ours["forget.step.weight"] = saved["in_proj.weight"][step:].clone()
        ours["forget.step.bias"] = saved["dt_bias"]
        if self.use_bias:
            ours["in_proj.bias"] = saved["in_proj.bias"][:step].clone()
            ours["forget.step.bias"] = saved["dt_bias"] + saved["in_proj.bias"][step:]
        return ours

"""Falcon Mamba, as `FalconMambaForCausalLM` saves it: Mamba with norms of B, C and `Delta`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from timegrain.core.errors import ModelError
from timegrain.models.huggingface.mamba import MambaSettings
from timegrain.models.huggingface.settings import LARGEST
from timegrain.models.options import positive_real, shown, whole


@dataclass(frozen=True, kw_only=True)
class FalconMambaSettings(MambaSettings):
    """A Falcon Mamba network, with the defaults of its format.

    Args:
        mixer_rms_eps: Of the norms of B, C and what makes `Delta`, > 0.

    Raises:
        ConfigError: If a value is outside its domain.
    """

    model_type: ClassVar[str] = "falcon_mamba"
    title: ClassVar[str] = "FalconMamba"
    architectures: ClassVar[tuple[str, str]] = ("FalconMambaForCausalLM", "FalconMambaModel")

    mixer_rms_eps: float = 1e-6

    def __post_init__(self) -> None:
        super().__post_init__()
        positive_real("mixer_rms_eps", self.mixer_rms_eps)

    @classmethod
    def from_config(cls, said: Mapping[str, Any]) -> Self:
        """Return what a configuration says; here `intermediate_size` goes before `expand`.

        Raises:
            ModelError: If `intermediate_size` is no multiple of `hidden_size`.
        """
        inner = said.get("intermediate_size")
        if inner is None:
            return super().from_config(said)
        width = said.get("hidden_size")
        width = cls.hidden_size if width is None else width
        whole("intermediate_size", inner, least=1, most=LARGEST)
        whole("hidden_size", width, least=1, most=LARGEST)
        if inner % width:
            raise ModelError(
                "a block holds a whole number of inner channels for each channel",
                got=f"intermediate_size {shown(inner)}, hidden_size {width}",
                expected=f"intermediate_size a multiple of {width}",
            )
        return super().from_config({**said, "expand": inner // width})

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), "norm_eps": self.mixer_rms_eps}

"""What `config.json` says of a network."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from timegrain.core.errors import ModelError
from timegrain.models.huggingface.falcon_mamba import FalconMambaSettings
from timegrain.models.huggingface.mamba import MambaSettings
from timegrain.models.huggingface.mamba2 import Mamba2Settings
from timegrain.models.huggingface.settings import NetworkSettings
from timegrain.models.options import one_of, shown

FILE = "config.json"
KINDS: dict[str, type[NetworkSettings]] = {
    kind.model_type: kind for kind in (MambaSettings, Mamba2Settings, FalconMambaSettings)
}
_OTHERS = {
    "jamba": "Jamba mixes attention, experts and Mamba with inner norms",
    "bamba": "Bamba mixes attention and Mamba-2",
    "zamba": "Zamba mixes attention and Mamba",
    "zamba2": "Zamba2 mixes attention and Mamba-2",
}


def read_settings(folder: Path) -> NetworkSettings:
    """Return what `config.json` of a folder says.

    Args:
        folder: A folder that `save_pretrained` wrote.

    Raises:
        ModelError: If there is no such file, it cannot be read, or it describes a network of
            another architecture or one with parts that are not known here.
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
    kind = _kind(said)
    _check_parts(said, kind)
    return kind.from_config(said)


def _kind(said: Mapping[str, Any]) -> type[NetworkSettings]:
    name = said.get("model_type")
    if not isinstance(name, str) or name not in KINDS:
        known = isinstance(name, str) and name in _OTHERS
        raise ModelError(
            "this folder holds a model of an architecture that is not read",
            got=f"model_type {shown(name)}",
            expected=" or ".join(map(repr, KINDS)),
            hint=f"another folder: {_OTHERS[name]}" if known else None,  # type: ignore[index]
        )
    return KINDS[name]


def _check_parts(said: Mapping[str, Any], kind: type[NetworkSettings]) -> None:
    architectures = said.get("architectures") or list(kind.architectures)
    listed = architectures if isinstance(architectures, list) else [architectures]
    if not (listed and all(name in kind.architectures for name in listed)):
        raise ModelError(
            f"this {kind.title} has a head that is not known here",
            got=f"architectures {shown(architectures)}",
            expected=" or ".join(kind.architectures),
        )
    if said.get("quantization_config") is not None:
        raise ModelError(
            "the weights are quantised",
            got="quantization_config",
            hint="the folder of the model in full precision",
        )
    one_of("hidden_act", said.get("hidden_act", "silu"), ("silu", "swish"))

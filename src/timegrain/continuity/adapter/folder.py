"""A folder that transformers wrote, as a model whose embedded inputs are refined."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from timegrain.continuity.adapter.mamba_steps import STEPS
from timegrain.continuity.adapter.model_adapter import ModelAdapter
from timegrain.core.errors import ConfigError, ModelError
from timegrain.core.shown import shown
from timegrain.core.users_code import users_code
from timegrain.data.readers.extra import need

_CONFIG = "config.json"
_SAFE = "model.save_pretrained(folder, safe_serialization=True) in transformers"


def is_model_folder(path: str | Path) -> bool:
    """Return whether a path is a folder with a `config.json`."""
    try:
        return (Path(path) / _CONFIG).is_file()
    except OSError:  # longer than a name can be
        return False


def huggingface_adapter(
    folder: str | Path, *, dt_scaling: bool = False, trained_dt: float | None = None
) -> ModelAdapter:
    """Return the network in a folder of transformers, with what it takes for embeddings refined.

    Tokens have no values between them; the vectors they become do. The signal takes their place
    (`inputs_embeds`), and the last hidden states are measured, without a head. Nothing is
    downloaded, no pickle is opened and no code of the folder is run.

    Args:
        folder: What `save_pretrained` of a network wrote that takes `inputs_embeds`, such as Mamba,
            Mamba-2, Falcon Mamba, GPT-2 or Llama: `config.json` and safetensors.
        dt_scaling: Whether a Mamba, a Mamba-2 or a Falcon Mamba is told its step, as `tau Delta`.
            Otherwise the network is measured natively.
        trained_dt: As in `ModelAdapter`.

    Raises:
        MissingPackageError: If transformers is not installed.
        ModelError: If there is no such folder, it cannot be read, weights are missing in it, or
            the network takes no `inputs_embeds`.
        ConfigError: If `dt_scaling` is asked of another network.

    Note:
        Parts of these networks compute in float32 whatever their type (norms, rotations, the decays
        of Mamba), so that they are measured in float32.
    """
    settings = _settings(folder)
    kind = str(settings.get("model_type"))
    if dt_scaling and kind not in STEPS:
        raise ConfigError(
            f"a {kind} has no step to scale",
            got="dt_scaling=True",
            expected=f"one of {', '.join(STEPS)}",
            hint="ModelAdapter(model, tau=...) with a way of your own",
        )
    transformers = need("transformers", "hf", "folders of it")
    with users_code(str(folder), ModelError, doing="cannot be read", hint=_SAFE):
        model, found = transformers.AutoModel.from_pretrained(
            str(Path(folder)),
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            output_loading_info=True,
        )
    _check_weights(found, str(folder))
    return ModelAdapter(
        model.float().eval(),
        tau=STEPS[kind] if dt_scaling else None,
        trained_dt=trained_dt,
        inputs="inputs_embeds",
        others={"use_cache": False},
        output="last_hidden_state",
        d_input=_width(model),
        dtype="float32",
    )


def _settings(folder: str | Path) -> Mapping[str, Any]:
    if not isinstance(folder, str | os.PathLike) or not is_model_folder(folder):
        raise ModelError(
            f"there is no folder with a {_CONFIG}",
            got=shown(folder),
            expected="a folder that save_pretrained wrote; nothing is downloaded",
            hint="AutoModel.from_pretrained(name).save_pretrained(folder)",
        )
    try:
        settings = json.loads((Path(folder) / _CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{folder}/{_CONFIG} cannot be read", got=str(error)) from error
    if not isinstance(settings, dict):
        raise ModelError(f"{folder}/{_CONFIG} is no table of settings", got=shown(settings))
    return settings


def _check_weights(found: Mapping[str, Any], folder: str) -> None:
    """Refuse weights that would be drawn at random in the place of stored ones."""
    for key in ("missing_keys", "mismatched_keys"):
        names = sorted(map(str, found.get(key) or ()))
        if names:
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            raise ModelError(
                f"{folder} lacks weights of its network",
                got=", ".join(names[:3]) + more,
                expected="all that its config.json tells of",
                hint=_SAFE,
            )


def _width(model: Any) -> int:
    embedding = model.get_input_embeddings()
    width = getattr(getattr(embedding, "weight", None), "shape", (0, 0))[-1]
    if not width:
        raise ModelError(
            "the network embeds no tokens",
            got=type(model).__name__,
            expected="a network that takes inputs_embeds",
            hint="ModelAdapter(model, inputs=..., d_input=...)",
        )
    return int(width)

"""`load`: a folder of `transformers` as a network of ours."""

import math
import os
import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path

import torch
from torch import Tensor

from timegrain.core.errors import ConfigError, ModelError
from timegrain.models.huggingface.network import MambaNetwork
from timegrain.models.huggingface.settings import MambaSettings, read_settings
from timegrain.models.huggingface.tensors import read_tensors
from timegrain.models.options import shown

PRECISIONS = (torch.float32, torch.float64)
_LISTED = 5
_SAVED_TOGETHER = "the config.json that was saved with these weights"
# Parts of our names and of theirs
_PARTS = (
    (r"^embedding\.", "embeddings."),
    (r"^norm\.", "norm_f."),
    (r"^head\.", "lm_head."),
    (r"^blocks\.", "layers."),
    (r"\.mixer\.conv\.", ".mixer.conv1d."),
    (r"\.mixer\.ssm\.", ".mixer."),
)


def load(path: str | Path, *, dtype: torch.dtype = torch.float32) -> MambaNetwork:
    """Return a Mamba network with the weights that `transformers` saved in a folder.

    Nothing is downloaded, no pickle is opened, and `transformers` need not be installed. Half
    precision is widened: compute in it with `torch.autocast`.

    Args:
        path: A folder that `MambaForCausalLM.save_pretrained` or `MambaModel.save_pretrained`
            wrote: `config.json` and safetensors, in one file or several with their index.
        dtype: `torch.float32` or `torch.float64`.

    Returns:
        A network in eval mode. `forward` gives the scores of the next token, or the last hidden
        states where the folder holds a `MambaModel`; `features` the last hidden states, and so do
        `scan` and `step`, which carry a state, for `head` to read.

    Raises:
        ConfigError: If `dtype` is another one, or a value of `config.json` is outside its domain.
        ModelError: If there is no such folder or file, it holds another architecture, or tensors
            are missing, unexpected, of another shape, or not finite; the text names them.

    Note:
        Text has no clock: `tau = 1`. Where samples of something measured became tokens or the
        network was tuned on them, `tau` tells it another rate as it tells `Mamba`.

    Example:
        >>> load("state-spaces/mamba-130m-hf")
        Traceback (most recent call last):
        timegrain.core.errors.ModelError: there is no such folder, got state-spaces/mamba-130m-hf...
    """
    if dtype not in PRECISIONS:
        raise ConfigError(
            "dtype is that of the weights",
            got=shown(dtype),
            expected="torch.float32 or torch.float64",
            hint="torch.autocast around the calls",
        )
    folder = Path(path) if isinstance(path, str | os.PathLike) else None
    if folder is None or not _is_folder(folder):
        raise ModelError(
            "there is no such folder",
            got=shown(path) if folder is None else path,
            expected="a folder with config.json and model.safetensors; nothing is downloaded",
            hint="MambaForCausalLM.from_pretrained(name).save_pretrained(folder)",
        )
    settings, found = read_settings(folder), read_tensors(folder)
    has_head = any(name.startswith("backbone.") for name in found)
    found = _one_embedding(found)
    _check_sizes(found, settings, "backbone." if has_head else "")
    with torch.device("meta"):
        net = MambaNetwork(settings, has_head=has_head)
    tensors = _ours({k: _finite(k, v, dtype) for k, v in found.items()}, net, has_head=has_head)
    net.load_state_dict(tensors, assign=True)
    net.tie()
    return net.eval()


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # longer than a name can be
        return False


def _one_embedding(found: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors with the embedding under the later of its two names."""
    renamed = {re.sub(r"\bembedding\.weight$", "embeddings.weight", k): v for k, v in found.items()}
    if len(renamed) < len(found):
        raise ModelError(
            "the folder holds two embeddings",
            got="embedding.weight and embeddings.weight",
            expected="one of them",
        )
    return renamed


def _check_sizes(found: Mapping[str, Tensor], settings: MambaSettings, prefix: str) -> None:
    """Check all sizes of the configuration by a few tensors, before a network of them is built."""
    width, inner = settings.hidden_size, settings.expand * settings.hidden_size
    block = f"{prefix}layers.0.mixer"
    shapes = {
        f"{prefix}embeddings.weight": (settings.vocab_size, width),
        f"{block}.A_log": (inner, settings.state_size),
        f"{block}.conv1d.weight": (inner, 1, settings.conv_kernel),
        f"{block}.dt_proj.weight": (inner, settings.rank),
    }
    _check_names("is missing", shapes.keys() - found.keys())
    for name, shape in shapes.items():
        _check_shape(name, found[name], shape)
    blocks = {m[1] for name in found if (m := re.match(rf"{prefix}layers\.(\d+)\.", name))}
    if len(blocks) != settings.num_hidden_layers:
        raise ModelError(
            "the weights are of another number of blocks than the configuration",
            got=f"num_hidden_layers {shown(settings.num_hidden_layers)} and {len(blocks)} blocks",
            hint=_SAVED_TOGETHER,
        )


def _finite(name: str, tensor: Tensor, dtype: torch.dtype) -> Tensor:
    """Return real numbers in the precision asked for, all of them finite; others as they are."""
    if not tensor.is_floating_point() or not tensor.numel():
        return tensor
    tensor = tensor.to(dtype)
    if not all(math.isfinite(value) for value in tensor.aminmax()):
        raise ModelError(
            f"the weights are not finite in {dtype}, so that the network cannot answer",
            got=f"NaN or infinity in {name}",
            hint="copying the folder again",
        )
    return tensor


def _ours(found: Mapping[str, Tensor], net: MambaNetwork, *, has_head: bool) -> dict[str, Tensor]:
    """Return the tensors under our names, all of them and no others."""
    expected = net.state_dict()
    names = {_their_name(name, has_head=has_head): name for name in expected}
    if has_head and net.settings.tie_word_embeddings:
        found = _tied(found)
    _check_names("is missing", names.keys() - found.keys())
    _check_names("is not known", found.keys() - names.keys())
    return {ours: _fitting(theirs, found[theirs], expected[ours]) for theirs, ours in names.items()}


def _their_name(ours: str, *, has_head: bool) -> str:
    for part, theirs in _PARTS:
        ours = re.sub(part, theirs, ours)
    return f"backbone.{ours}" if has_head and not ours.startswith("lm_head.") else ours


def _tied(found: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors with those of the embedding as the head's, which may not be stored."""
    embedding = found.get("backbone.embeddings.weight")
    if embedding is None:
        return dict(found)
    head = found.get("lm_head.weight", embedding)
    if not torch.equal(head, embedding):
        raise ModelError(
            "the head is said to have the weights of the embedding, and has others",
            got="tie_word_embeddings and another lm_head.weight",
            hint='"tie_word_embeddings": false in config.json',
        )
    return {**found, "lm_head.weight": embedding}


def _fitting(name: str, tensor: Tensor, expected: Tensor) -> Tensor:
    shape = tuple(expected.shape)
    if name.endswith("conv1d.weight"):
        shape = (shape[0], 1, shape[1])
    _check_shape(name, tensor, shape)
    return tensor.reshape(expected.shape)


def _check_shape(name: str, tensor: Tensor, shape: tuple[int, ...]) -> None:
    if tuple(tensor.shape) != shape or not tensor.is_floating_point():
        raise ModelError(
            f"{name} does not fit the configuration",
            got=f"{tensor.dtype} of shape {tuple(tensor.shape)}",
            expected=f"real numbers of shape {shown(shape)}",
            hint=_SAVED_TOGETHER,
        )


def _check_names(what: str, names: AbstractSet[str]) -> None:
    if not names:
        return
    listed = sorted(names)
    more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
    raise ModelError(
        f"a tensor of the network {what}",
        got=f"{', '.join(listed[:_LISTED])}{more}",
        hint=_SAVED_TOGETHER,
    )

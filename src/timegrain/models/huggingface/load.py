"""`load`: a folder of `transformers` as a network of ours."""

import math
import os
from pathlib import Path

import torch
from torch import Tensor

from timegrain.core.errors import ConfigError, ModelError
from timegrain.models.huggingface.config import read_settings
from timegrain.models.huggingface.network import MambaNetwork
from timegrain.models.huggingface.saved import complete, has_head, ours
from timegrain.models.huggingface.tensors import read_tensors
from timegrain.models.options import shown

PRECISIONS = (torch.float32, torch.float64)


def load(path: str | Path, *, dtype: torch.dtype = torch.float32) -> MambaNetwork:
    """Return a Mamba, Mamba-2 or Falcon Mamba with the weights that `transformers` saved.

    Nothing is downloaded, no pickle is opened, and `transformers` need not be installed. Half
    precision is widened: compute in it with `torch.autocast`.

    Args:
        path: A folder that `save_pretrained` of `MambaForCausalLM`, `Mamba2ForCausalLM`,
            `FalconMambaForCausalLM`, or of one without a head such as `MambaModel` wrote:
            `config.json` and safetensors, in one file or several with their index.
        dtype: `torch.float32` or `torch.float64`.

    Returns:
        A network in eval mode. `forward` gives the scores of the next token, or the last hidden
        states where the folder holds no head; `features` the last hidden states, and so do `scan`
        and `step`, which carry a state, for `head` to read.

    Raises:
        ConfigError: If `dtype` is another one, or a value of `config.json` is outside its domain.
        ModelError: If there is no such folder or file, it holds another architecture, or tensors
            are missing, unexpected, of another shape, or not finite; the text names them.

    Note:
        Text has no clock: `tau = 1`. Where samples of something measured became tokens or the
        network was tuned on them, `tau` tells it another rate as it tells `Mamba` and `Mamba2`.

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
    settings = read_settings(folder)
    found = complete(read_tensors(folder), settings)
    with torch.device("meta"):
        net = MambaNetwork(settings, has_head=has_head(found))
    found = {name: _finite(name, tensor, dtype) for name, tensor in found.items()}
    net.load_state_dict(ours(found, settings), assign=True)
    net.tie()
    return net.eval()


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # longer than a name can be
        return False


def _finite(name: str, tensor: Tensor, dtype: torch.dtype) -> Tensor:
    """Return numbers in the precision asked for, all of them finite."""
    tensor = tensor.to(dtype)
    if not all(math.isfinite(value) for value in tensor.aminmax()):
        raise ModelError(
            f"the weights are not finite in {dtype}, so that the network cannot answer",
            got=f"NaN or infinity in {name}",
            hint="copying the folder again",
        )
    return tensor

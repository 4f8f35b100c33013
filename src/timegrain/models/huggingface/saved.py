"""What a folder holds of a network, checked against its configuration, under our names."""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

import torch
from torch import Tensor

from timegrain.core.errors import ModelError
from timegrain.models.huggingface.settings import NetworkSettings, Shape
from timegrain.models.options import shown

HEAD = "lm_head.weight"
_BODY = "backbone."
_LISTED = 5
_SAVED_TOGETHER = "the config.json that was saved with these weights"


def has_head(found: Mapping[str, Tensor]) -> bool:
    """Return whether tensors are those of a network with a head, by their names."""
    return any(name.startswith(_BODY) for name in found)


def complete(found: Mapping[str, Tensor], settings: NetworkSettings) -> dict[str, Tensor]:
    """Return the tensors of a network under the names they are saved by, all and no others.

    Args:
        found: In the folder.
        settings: From its configuration.

    Raises:
        ModelError: If a tensor is missing, unexpected or of another shape.
    """
    found = _one_embedding(found)
    prefix = _BODY if has_head(found) else ""
    _check_sizes(found, settings, prefix)
    if prefix and settings.tie_word_embeddings:  # whose head need not be stored
        found.setdefault(HEAD, found[f"{prefix}embeddings.weight"])
    expected = _shapes(settings, prefix)
    _check_names("is missing", expected.keys() - found.keys())
    _check_names("is not known", found.keys() - expected.keys())
    for name, shape in expected.items():
        _check_shape(name, found[name], shape)
    return found


def ours(found: Mapping[str, Tensor], settings: NetworkSettings) -> dict[str, Tensor]:
    """Return the tensors of a network under our names.

    Args:
        found: All of them, as `complete` returns them.
        settings: From the configuration.

    Raises:
        ModelError: If the head is tied to the embedding, and has other weights.
    """
    prefix = _BODY if has_head(found) else ""
    tensors = {
        "embedding.weight": found[f"{prefix}embeddings.weight"],
        "norm.weight": found[f"{prefix}norm_f.weight"],
    }
    if prefix:
        tensors["head.weight"] = found[HEAD]
        if settings.tie_word_embeddings:
            _check_tied(tensors["head.weight"], tensors["embedding.weight"])
    parts = settings.layer_shapes()
    for k in range(settings.num_hidden_layers):
        block, mixer = f"{prefix}layers.{k}.", f"{prefix}layers.{k}.mixer."
        tensors[f"blocks.{k}.norm.weight"] = found[f"{block}norm.weight"]
        layer = settings.layer_tensors({name: found[mixer + name] for name in parts})
        tensors |= {f"blocks.{k}.mixer.{name}": tensor for name, tensor in layer.items()}
    return tensors


def _shapes(settings: NetworkSettings, prefix: str) -> dict[str, Shape]:
    width, layer = settings.hidden_size, settings.layer_shapes()
    shapes: dict[str, Shape] = {
        f"{prefix}embeddings.weight": (settings.vocab_size, width),
        f"{prefix}norm_f.weight": (width,),
    }
    for k in range(settings.num_hidden_layers):
        shapes[f"{prefix}layers.{k}.norm.weight"] = (width,)
        shapes |= {f"{prefix}layers.{k}.mixer.{name}": shape for name, shape in layer.items()}
    if prefix:
        shapes[HEAD] = (settings.vocab_size, width)
    return shapes


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


def _check_sizes(found: Mapping[str, Tensor], settings: NetworkSettings, prefix: str) -> None:
    """Check all sizes by the embedding and the first block, before names of all are listed."""
    layer = settings.layer_shapes()
    shapes: dict[str, Shape] = {
        f"{prefix}embeddings.weight": (settings.vocab_size, settings.hidden_size),
        **{f"{prefix}layers.0.mixer.{name}": shape for name, shape in layer.items()},
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


def _check_tied(head: Tensor, embedding: Tensor) -> None:
    if not torch.equal(head, embedding):
        raise ModelError(
            "the head is said to have the weights of the embedding, and has others",
            got="tie_word_embeddings and another lm_head.weight",
            hint='"tie_word_embeddings": false in config.json',
        )


def _check_shape(name: str, tensor: Tensor, shape: Shape) -> None:
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

"""What a network of whatever make says of how it is built."""

from collections.abc import Mapping
from typing import Any

from torch import nn

from timegrain.core.codec import encode
from timegrain.core.errors import ResultError


def configuration(model: nn.Module) -> dict[str, Any]:
    """Return what says how to build a network, as values that a record can store.

    That is its attribute `config` where it has one: a mapping, or an object with `to_dict()` or
    with attributes. What has no JSON form is left out, and the name is that of the class where none
    is said.

    Args:
        model: The network.

    Example:
        >>> configuration(nn.Identity())
        {'name': 'Identity'}
    """
    said = {k: v for k, v in _said(model).items() if isinstance(k, str) and _is_plain(v)}
    if isinstance(said.get("name"), str):
        return said
    return said | {"name": type(model).__name__}


def _said(model: nn.Module) -> Mapping[Any, Any]:
    config = getattr(model, "config", None)
    for found in (config, _as_dict(config)):
        if isinstance(found, Mapping):
            return found
    attributes = getattr(config, "__dict__", {})
    return {k: v for k, v in attributes.items() if not k.startswith("_")}


def _as_dict(config: object) -> object:
    make = getattr(config, "to_dict", None)
    return make() if callable(make) and not isinstance(config, type) else None


def _is_plain(value: object) -> bool:
    try:
        encode(value)
    except (ResultError, RecursionError):
        return False
    return True

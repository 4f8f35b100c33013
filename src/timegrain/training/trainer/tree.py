"""Nested states of a training as JSON values with their tensors beside them, and back."""

import math
from collections.abc import Mapping
from typing import Any

from torch import Tensor

from timegrain.core.errors import ResultError

_PLAIN = (bool, int, str, type(None))


def split(tree: object) -> tuple[Any, dict[str, Tensor]]:
    """Return JSON values, and the tensors that are named in them, copied to the CPU.

    Args:
        tree: Numbers, texts, None and tensors in dicts, lists and tuples.

    Raises:
        ResultError: If something else is in it.

    Example:
        >>> plain, tensors = split({"w": Tensor([1, 1]), "best": math.inf, 3: (1, None)})
        >>> join(plain, tensors)
        {'w': tensor([1., 1.]), 'best': inf, 3: (1, None)}
    """
    tensors: dict[str, Tensor] = {}
    return _split(tree, tensors), tensors


def _split(tree: object, tensors: dict[str, Tensor]) -> Any:
    if isinstance(tree, Tensor):
        name = str(len(tensors))
        tensors[name] = tree.detach().to("cpu", copy=True).contiguous()
        return {"$tensor": name}
    if isinstance(tree, Mapping):
        if all(isinstance(key, str) and not key.startswith("$") for key in tree):
            return {key: _split(value, tensors) for key, value in tree.items()}
        pairs = [[_split(k, tensors), _split(v, tensors)] for k, v in tree.items()]
        return {"$items": pairs}
    if isinstance(tree, list | tuple):
        values = [_split(value, tensors) for value in tree]
        return values if isinstance(tree, list) else {"$tuple": values}
    if isinstance(tree, float):
        return float(tree) if math.isfinite(tree) else {"$float": str(float(tree))}
    if isinstance(tree, _PLAIN):
        return tree
    raise ResultError(
        "a part of a training's state cannot be stored",
        got=type(tree).__name__,
        expected="numbers, texts, None and tensors in dicts, lists and tuples",
    )


def join(plain: Any, tensors: Mapping[str, Tensor]) -> Any:
    """Return the tree that `split` took apart.

    Args:
        plain: JSON values.
        tensors: Those named in them.
    """
    if isinstance(plain, list):
        return [join(value, tensors) for value in plain]
    if not isinstance(plain, dict):
        return plain
    if "$tensor" in plain:
        return tensors[plain["$tensor"]]
    if "$float" in plain:
        return float(plain["$float"])
    if "$tuple" in plain:
        return tuple(join(value, tensors) for value in plain["$tuple"])
    if "$items" in plain:
        return {join(k, tensors): join(v, tensors) for k, v in plain["$items"]}
    return {key: join(value, tensors) for key, value in plain.items()}

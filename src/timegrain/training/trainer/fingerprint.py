"""What tells one training from another, so that none is resumed as another."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor, nn

from timegrain.core.codec import encode
from timegrain.training.batch import Batch
from timegrain.training.trainer.material import Material
from timegrain.training.trainer.network_state import network_state, state_bytes
from timegrain.training.trainer.record import model_config
from timegrain.training.truncated.long_batch import LongBatch

_LISTED = 4
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_SAMPLES = 65536  # of a long sequence at once


def fingerprint(material: Material) -> dict[str, Any]:
    """Return what has to be equal for a training to be the same one, as JSON values.

    Of the network these are its configuration, the class of each of its modules with what it
    prints of itself (such as the share of a dropout), and the shapes of what it stores. What else
    its code does, and attributes that it does not print, are not seen. The weights that it began
    with are not part of it: a network built anew is given those of the snapshot.

    Args:
        material: What the training works with.
    """
    task, way = material.task, material.way
    state = network_state(material.model)
    state = {**state["weights"], **state["unsaved"]}
    plan = way.plan.state_dict()
    stages = [{k: stage[k] for k in ("tau", "decimator")} for stage in plan["stages"]]
    marks: Any = {
        "model": model_config(material),
        "modules": {name or "itself": _module(m) for name, m in material.model.named_modules()},
        "weights": {k: _form(v) for k, v in state.items()},
        "task": {k: getattr(task, k) for k in ("name", "metric", "dt", "unit", "d_output")},
        "training data": _digest(material.data),
        "test data": _digest(material.test),
        "stages": ",".join(f"{row.stride}:{row.epochs}" for row in way.rows),
        "plan": plan | {"stages": dict(enumerate(stages))},
        **asdict(material.settings),
    }
    return dict(json.loads(json.dumps(encode(marks))))


def differences(stored: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """Return what differs between two fingerprints, in words; empty where nothing does.

    Args:
        stored: Of the snapshot.
        here: Of the training that is to go on from it.
    """
    old, new = _flat(stored), _flat(here)
    found = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    words = [_words(name, old.get(name), new.get(name)) for name in found[:_LISTED]]
    more = [f"{len(found) - _LISTED} more"] if len(found) > _LISTED else []
    return "; ".join([*words, *more])


def weights_digest(model: nn.Module) -> str:
    """Return a hash of the weights of a network.

    Args:
        model: The network.
    """
    found = hashlib.sha256()
    for values in network_state(model).values():
        for name, value in values.items():
            found.update(name.encode())
            found.update(state_bytes(value))
    return found.hexdigest()


def _digest(batch: Batch | LongBatch) -> str:
    found = hashlib.sha256()
    for piece in _pieces(batch):
        for values in (piece.x, piece.y, piece.lengths, piece.times, piece.mask):
            if values is None:
                found.update(b"none")
                continue
            found.update(f"{values.dtype} {tuple(values.shape)}".encode())
            found.update(state_bytes(values))
    return found.hexdigest()


def _pieces(batch: Batch | LongBatch) -> Iterator[Batch]:
    """Iterate batches that fit into memory."""
    if isinstance(batch, Batch):
        yield batch
        return
    for index in torch.arange(len(batch)).split(1):
        for start in range(0, batch.time, _SAMPLES):
            yield batch.take(index).read(start, start + _SAMPLES)


def _module(module: nn.Module) -> str:
    """Return the class of a module and what it prints of itself, without places in memory."""
    return _ADDRESS.sub("", f"{type(module).__name__}({module.extra_repr()})")


def _form(value: object) -> str:
    return f"{value.dtype} {tuple(value.shape)}" if isinstance(value, Tensor) else "a state"


def _flat(tree: Any, name: str = "") -> dict[str, Any]:
    if not isinstance(tree, Mapping):
        return {name: tree}
    return {
        key: value
        for part, branch in tree.items()
        for key, value in _flat(branch, f"{name}.{part}" if name else part).items()
    }


def _words(name: str, old: object, new: object) -> str:
    if name.endswith(" data"):
        return f"other {name}"
    return f"{name} {_shown(old)} there and {_shown(new)} here"


def _shown(value: object) -> str:
    return "none" if value is None else str(value)

"""A stretch of some sequences, read from wherever they are."""

from typing import Any

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from timegrain.data.memory import release


def read_stretch(values: Any, rows: Int[Tensor, " chosen"], start: int, stop: int) -> Tensor:
    """Return `values[rows, start:stop]`; of what is in a file nothing else is read.

    Args:
        values: A tensor; an array, which may be memory-mapped; or an object with
            `read(rows, start, stop)`, as `load_task(..., lazy=True)` makes.
        rows: Which sequences.
        start: First sample.
        stop: The one behind the last.
    """
    if isinstance(values, Tensor):
        return values[rows.to(values.device), start:stop]
    if hasattr(values, "read"):
        return torch.as_tensor(values.read(rows.numpy(), start, stop))
    found = np.asarray(values)[rows.numpy(), start:stop]
    release(values)
    return torch.as_tensor(found)

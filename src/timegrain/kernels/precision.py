"""Kernels compute in the precision of their door, also inside `torch.autocast`."""

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor


def full_precision(tensor: Tensor) -> AbstractContextManager[object]:
    """Return a context in which no product is carried out in half precision behind the door's back.

    Under autocast every matrix product rounds its factors to 8 or 11 bits, those inside a kernel
    too. There they are sums of powers of one mode, or of states over a whole sequence, whose terms
    cancel; and the poles decide over thousands of steps what the rounding makes of them.

    Args:
        tensor: Of the device that is computed on.

    Example:
        >>> with torch.autocast("cpu", dtype=torch.bfloat16), full_precision(torch.zeros(1)):
        ...     (torch.ones(1, 1) @ torch.ones(1, 1)).dtype
        torch.float32
    """
    kind = tensor.device.type
    if torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind):
        return torch.autocast(kind, enabled=False)
    return nullcontext()

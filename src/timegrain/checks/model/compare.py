"""How far apart outputs and states are, and how far they may be."""

import math
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from timegrain.checks.model.state import tensors

EXACT = 1e-10  # in float64: sums of thousands of terms in another order stay below it


def tolerance(dtype: torch.dtype, length: int) -> float:
    """Return how far two ways to compute the same may be apart, relative to the largest value.

    Args:
        dtype: What is computed in.
        length: Samples.

    Math:
        `1e-10` in float64, else `32 eps sqrt(length)`: rounding of so many updates adds like a
        random walk, and 32 covers the sums over states.
    """
    if dtype == torch.float64:
        return EXACT
    return 32 * torch.finfo(dtype).eps * length**0.5


def gap(one: Tensor, other: Tensor) -> float:
    """Return the largest difference relative to the largest value of `other`; NaN stays NaN."""
    if one.shape != other.shape:
        return float("inf")
    if not one.numel():
        return 0.0
    one, other = (t.detach() if t.is_complex() else t.detach().double() for t in (one, other))
    apart, size = (one - other).abs().max().item(), other.abs().max().item()
    return 0.0 if apart == 0 else apart / size if size else float("inf")


def same_bits(one: Tensor, other: Tensor) -> bool:
    """Return whether two tensors are equal, NaN to NaN too."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    return bool(((one == other) | ((one != one) & (other != other))).all())


def largest(values: Iterable[float]) -> float:
    """Return the largest value; NaN if one is, which `max` might overlook."""
    found = list(values)
    return math.nan if any(math.isnan(v) for v in found) else max(found, default=0.0)


def state_gap(one: Any, other: Any) -> float | None:
    """Return the largest gap of two states' tensors; None where they hold none, or differ in form.

    A cache that grows with the sequence has another form after another padding, and may mean the
    same; going on from both states tells.
    """
    here, there = tensors(one), tensors(other)
    if not here or [t.shape for t in here] != [t.shape for t in there]:
        return None
    return largest(gap(a, b) for a, b in zip(here, there, strict=True))

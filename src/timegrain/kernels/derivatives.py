"""Derivatives that compiled loops do not give, and what says so."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from timegrain.core.errors import ConfigError

Backward = Callable[..., Any]


def first_only(operation: str) -> Callable[[Backward], Backward]:
    """Return a decorator for a `backward` whose results carry no graph, as those of compiled loops.

    It refuses `create_graph=True`. torch's own `once_differentiable` refuses only where the
    gradient that comes in has a graph: the second derivatives of a sum would be zeros.

    Args:
        operation: The function's name, for the error's text.
    """

    def decorate(backward: Backward) -> Backward:
        @functools.wraps(backward)
        def checked(ctx: Any, *gradients: Any) -> Any:
            if torch.is_grad_enabled():
                raise ConfigError(
                    f"{operation}() gives first derivatives only on this backend",
                    got="create_graph=True",
                    hint=f"{operation}(..., backend='torch') for second ones too, or "
                    "kernels.use_backend('torch') around the call of a layer",
                )
            return backward(ctx, *gradients)

        return checked

    return decorate


def with_tangent(tensors: Mapping[str, Tensor]) -> str | None:
    """Return the name of a tensor that carries a forward-mode derivative, None if none does.

    Example:
        >>> x = torch.ones(1)
        >>> with forward_ad.dual_level():
        ...     with_tangent({"x": x, "y": forward_ad.make_dual(x, x)})
        'y'
    """
    if forward_ad._current_level < 0:
        return None
    for name, tensor in tensors.items():
        if forward_ad.unpack_dual(tensor).tangent is not None:
            return name
    return None

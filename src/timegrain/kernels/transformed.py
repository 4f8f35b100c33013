"""Functions with gradients of their own, through which torch.func and forward mode pass."""

import functools
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad


def applied(function: type[Any], *inputs: Tensor) -> Tensor:
    """Return what an autograd function gives, also inside `torch.func` and forward-mode levels.

    Those want `setup_context`, with which every other call would take 0.2 ms more.

    Args:
        function: An `autograd.Function` of one result that saves its inputs and nothing else; its
            `forward_mode` is what torch calls `jvp`, a name that torch.compile refuses.
        inputs: Its tensors.
    """
    inside = not torch.compiler.is_compiling() and (
        torch._C._are_functorch_transforms_active() or forward_ad._current_level >= 0
    )
    chosen = _twin(function) if inside else function  # type: ignore[arg-type]
    out: Tensor = chosen.apply(*inputs)
    return out


class _Unrecorded:
    def save_for_backward(self, *tensors: Tensor) -> None:
        """Save nothing: the twin does."""


@functools.cache
def _twin(function: type[Any]) -> type[Any]:
    class Twin(torch.autograd.Function):
        generate_vmap_rule = True
        backward = staticmethod(function.backward)
        jvp = staticmethod(function.forward_mode)

        @staticmethod
        def forward(*inputs: Tensor) -> Any:
            return function.forward(_Unrecorded(), *inputs)

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

    return Twin

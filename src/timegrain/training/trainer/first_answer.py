"""The first answer of a network, looked at before it is trained on."""

import torch
from torch import Tensor, nn

from timegrain.core.errors import ModelError
from timegrain.training.batch import Batch

_WANTED = "a tensor of real numbers that depends on the weights"


def first_answer(model: nn.Module, batch: Batch, tau: float) -> Tensor:
    """Return the answer of a network, if it is one to train on.

    Args:
        model: The network.
        batch: Sequences on its device.
        tau: What it is told.

    Raises:
        ModelError: If it is not: no tensor, not of real numbers, or of no weight; or if weights
            that are not float32 do not go with inputs that are.
    """
    try:
        out: object = model(batch.x, tau, lengths=batch.lengths)
    except RuntimeError as error:
        others = sorted({str(p.dtype) for p in model.parameters() if p.dtype != batch.x.dtype})
        if "dtype" not in str(error) or not others:
            raise
        raise ModelError(
            "the network's weights do not go with its inputs",
            got=f"weights of {', '.join(others)}, inputs of {batch.x.dtype}",
            expected="weights of torch.float32",
            hint="model.float()",
        ) from error
    if not isinstance(out, Tensor):
        raise _refused(f"{type(out).__name__}", hint="a forward that returns the tensor alone")
    if not out.dtype.is_floating_point:
        raise _refused(f"{out.dtype}", hint="out.real" if out.is_complex() else None)
    if torch.is_grad_enabled() and not out.requires_grad:
        raise _refused("a tensor without a gradient", hint="leaving out detach() and no_grad()")
    return out


def _refused(got: str, *, hint: str | None) -> ModelError:
    return ModelError(
        "the network's answer cannot be trained on", got=got, expected=_WANTED, hint=hint
    )

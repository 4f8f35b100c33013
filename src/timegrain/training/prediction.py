"""A network's outputs on data that are too many for one pass, told its step."""

import warnings
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float64
from torch import Tensor
from torch.nn import functional as F

from timegrain.core.errors import ConfigError, GridError
from timegrain.training.score import device_of

if TYPE_CHECKING:
    from timegrain.models.backbone.network import Backbone


def outputs(
    model: "Backbone",
    x: np.ndarray,
    *,
    tau: object = 1.0,
    lengths: np.ndarray | None = None,
    batch_size: int = 64,
) -> Float64[np.ndarray, "..."]:
    """Return what a network answers, as it was trained to: scaled values or logits.

    Args:
        model: The network, in eval mode.
        x: `(batch, time, channel)` standardised numbers, or `(batch, time)` tokens, which become
            indicators unless the network has an embedding.
        tau: A float, or numbers `(batch,)` or `(batch, time)`.
        lengths: Samples that exist in each sequence, `(batch,)`.
        batch_size: Sequences at once.

    Raises:
        ConfigError: If `batch_size < 1`.
        GridError: If `tau` does not fit.
    """
    if batch_size < 1:
        raise ConfigError(
            "a batch needs a sequence", got=f"batch_size={batch_size}", expected="1 or more"
        )
    told = _ratio(tau, x)
    if not model.takes_tau and bool((torch.as_tensor(told) != 1).any()):
        warnings.warn(
            f"{model.config['name']} cannot be told its step (takes_tau is False): the rate given "
            "changes nothing",
            stacklevel=4,
        )
    counts = None if lengths is None else torch.as_tensor(lengths)
    values = torch.as_tensor(x)
    with torch.no_grad():
        answers = [
            model(
                _input(model, values[index]),
                told[index] if isinstance(told, Tensor) else told,
                lengths=None if counts is None else counts[index],
            )
            for index in torch.arange(len(x)).split(batch_size)
        ]
    return torch.cat(answers).double().cpu().numpy()


def _input(model: "Backbone", values: Tensor) -> Tensor:
    device, vocab = device_of(model), model.config.get("vocab")
    if vocab is not None:
        return values.to(device)
    if not values.is_floating_point():
        values = F.one_hot(values, model.config["d_input"])  # type: ignore[arg-type]
    return values.to(device=device, dtype=model.head.weight.dtype)


def _ratio(tau: object, x: np.ndarray) -> float | Tensor:
    """Return `tau` as the network takes it; the network checks that it is positive."""
    try:
        ratio = torch.as_tensor(tau, dtype=torch.float64)
    except (TypeError, ValueError, RuntimeError):
        raise GridError(
            "tau is a ratio of steps", got=repr(tau), expected="a float or numbers"
        ) from None
    if ratio.ndim == 0:
        return float(ratio)
    if tuple(ratio.shape) not in {x.shape[:1], x.shape[:2]}:
        raise GridError(
            "tau does not fit the input",
            got=f"shape {tuple(ratio.shape)} for {x.shape[0]} sequences of {x.shape[1]} samples",
            expected=f"a float, ({x.shape[0]},) or {x.shape[:2]}",
        )
    return ratio

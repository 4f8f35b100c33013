"""A registered name as a `Subject`: a new layer, or a network of them, for every pair."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from timegrain.continuity.model.adapters import to_double
from timegrain.continuity.model.introspect import REFUSES, declared_order, fastest_mode, is_layer
from timegrain.continuity.model.readout import to_array
from timegrain.continuity.model.subject import Batch, Subject
from timegrain.core.errors import ConfigError
from timegrain.core.seeds import stream

if TYPE_CHECKING:
    import torch

N_LAYERS = 2
SKIP_LEFT_OUT = (
    "The layer's skip term D u is left out: it has no memory, and would dominate the output."
)
SKIP_KEPT = "The layer's skip term D u is kept, as asked; it has no memory and can dominate."
NORM = (
    "Measured inside the residual network: its normalisation before each layer hides the "
    "amplitude, so the amplitude law of the layer does not show here."
)


def registered_subject(
    name: str,
    *,
    scope: str,
    d_model: int,
    d_input: int,
    options: Mapping[str, Any],
    seed: int,
    pair: int,
) -> Subject:
    """Return the subject of one pair, in float64; arguments as for `registered_model`.

    Raises:
        UnknownNameError: If there is no such layer.
        ConfigError: If an option is unknown or outside its domain.
    """
    model, notes = registered_model(
        name,
        scope=scope,
        d_model=d_model,
        d_input=d_input,
        options=options,
        seed=seed,
        pair=pair,
    )
    return as_subject(name, model, notes)


def registered_model(
    name: str,
    *,
    scope: str,
    d_model: int,
    d_input: int,
    options: Mapping[str, Any],
    seed: int,
    pair: int,
) -> "tuple[torch.nn.Module, tuple[str, ...]]":
    """Return the model of one pair, in float64, and sentences that a reader has to see.

    Args:
        name: A registered layer name.
        scope: `"layer"` for the layer alone, `"network"` for the residual network around it, with
            one output per step; `options["n_layers"]` blocks, 2 if not given.
        d_model: Channels of the layer.
        d_input: Channels of the input; `d_model` for a layer.
        options: Options of the layer, and with `"network"` of the network.
        seed: Seed of the measurement.
        pair: Number of the pair; it seeds the weights.

    Raises:
        UnknownNameError: If there is no such layer.
        ConfigError: If an option is unknown or outside its domain.
    """
    weights = int(stream(seed, "weights", pair).integers(2**31))
    build = _layer if scope == "layer" else _network
    model, notes = build(name, d_model, d_input, dict(options), weights)
    return to_double(model.eval()), notes


def as_subject(name: str, model: Any, notes: tuple[str, ...]) -> Subject:
    """Return one of timegrain's layers or networks, in float64, as a subject.

    Args:
        name: For results.
        model: In eval mode.
        notes: Sentences that a reader has to see.
    """
    takes_tau = bool(getattr(model, "takes_tau", True))
    return Subject(
        name=name,
        call=_call(model, finite=True),
        unseen=_call(model, finite=False),
        told=takes_tau,
        declared_order=declared_order(model),
        dtype="float64",
        eps=float(np.finfo(np.float64).eps),
        batched=True,
        layer=model if is_layer(model) else None,
        fastest=fastest_mode(model),
        source=model,
        notes=notes,
        reasons={} if takes_tau else {"protocol": REFUSES},
    )


def _layer(
    name: str, d_model: int, d_input: int, options: dict[str, Any], seed: int
) -> tuple[Any, tuple[str, ...]]:
    from timegrain.models.build import build_layer

    if d_input != d_model:
        raise ConfigError(
            "a layer alone takes d_model channels",
            got=f"d_input={d_input}, d_model={d_model}",
            hint=f"d_model={d_input}, or scope='network'",
        )
    asked = options.pop("skip", False)
    layer = build_layer(name, d_model=d_model, seed=seed, skip=asked, **options)
    if getattr(layer, "D", None) is not None:
        return layer, (SKIP_KEPT,)
    other = build_layer(name, d_model=d_model, seed=seed, skip=True, **options)
    return layer, ((SKIP_LEFT_OUT,) if _size(other) > _size(layer) else ())


def _network(
    name: str, d_model: int, d_input: int, options: dict[str, Any], seed: int
) -> tuple[Any, tuple[str, ...]]:
    from timegrain.models.build import build_model

    n_layers = options.pop("n_layers", N_LAYERS)
    model = build_model(
        name,
        d_input=d_input,
        d_output=d_input,
        d_model=d_model,
        n_layers=n_layers,
        head="step",
        seed=seed,
        **options,
    )
    # Batch norm that was never trained divides by one.
    return model, (() if model.frame.norm == "batch" else (NORM,))


def _size(module: "torch.nn.Module") -> int:
    return sum(p.numel() for p in module.parameters())


def _call(model: Any, *, finite: bool) -> Callable[[Batch, float], Mapping[str, np.ndarray]]:
    def call(x: Batch, tau: float) -> Mapping[str, np.ndarray]:
        import torch

        with torch.inference_mode():
            raw = model(torch.from_numpy(x), tau)
            if finite or not isinstance(raw, torch.Tensor) or raw.dtype != torch.float64:
                return {"output": to_array(raw, copy=False, finite=finite)[0]}
            return {"output": raw.cpu().numpy()}

    return call

"""Any module and any function as a `Subject`."""

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from timegrain.continuity.model.introspect import (
    declared_order,
    has_tau,
    is_layer,
    is_module,
    knows_its_batch,
    model_name,
    why_not_told,
)
from timegrain.continuity.model.readout import axes_of, spacing, three_axes, to_array
from timegrain.continuity.model.subject import Batch, Sample, Subject
from timegrain.core.errors import ModelError, TimegrainError

if TYPE_CHECKING:
    import torch

# What torch, numpy and modules raise when an input has the wrong type or shape.
FAILURES = (TypeError, ValueError, RuntimeError, AttributeError, IndexError, NotImplementedError)
POOLED_UNSEEN = "the model pools over time and no features(x) shows what it pools"

Call = Callable[[Batch, float], Any]


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One way to call a model.

    Args:
        output: Maps `(x, tau)` to the raw output.
        features: The same for what a pooling model pools; None if it shows nothing.
        dtype: The type computed in.
    """

    output: Call
    features: Call | None
    dtype: str


def adapt(model: Any, samples: tuple[Sample, Sample], *, name: str | None = None) -> Subject:
    """Return a module or a function as a `Subject`.

    Args:
        model: A `torch.nn.Module`, deep-copied to eval mode and float64, or its own type where it
            does not run in float64; or a function of arrays or tensors.
        samples: Inputs of two lengths, `(1, time, channel)`, to try it on.
        name: For results; the model's own otherwise.

    Raises:
        ModelError: If it cannot be called in any way, or its output cannot be read.
    """
    why = why_not_told(model)
    attempts = _of_module(model, why is None) if is_module(model) else _of_function(model, not why)
    tried = []
    for attempt in attempts:
        try:
            outputs = [to_array(attempt.output(x, 1.0)) for x in samples]
        except FAILURES as error:
            tried.append(f"in {attempt.dtype}: {_first_line(error)}")
            continue
        return _subject(model, attempt, outputs, samples, why, tried, name or model_name(model))
    raise ModelError(
        f"{name or model_name(model)} cannot be measured on input of shape {samples[0].shape}",
        got="; ".join(tried),
        expected="a model of (batch, time, channel) with finite outputs",
        hint="d_input=..., or wrapping the model in a function of such arrays",
    )


def to_double(module: "torch.nn.Module") -> "torch.nn.Module":
    """Cast all real and complex parameters and buffers of a module to double precision."""
    import torch

    module.double()
    for tensor in (*module.parameters(), *module.buffers()):
        if tensor.is_complex():  # Module.double() leaves these as they are
            tensor.data = tensor.data.to(torch.complex128)
    return module


def _of_module(model: Any, told: bool) -> Iterator[Attempt]:
    own = next((str(p.dtype) for p in model.parameters() if p.is_floating_point()), "float64")
    for dtype in dict.fromkeys(("float64", own.removeprefix("torch."))):
        try:
            clone = copy.deepcopy(model).eval()
        except (TypeError, RuntimeError) as error:
            raise ModelError(
                f"{type(model).__name__} cannot be copied",
                got=_first_line(error),
                hint="passing a function: lambda x: model(x)",
            ) from error
        clone = to_double(clone) if dtype == "float64" else clone
        features = getattr(clone, "features", None)
        inner = None
        if callable(features) and not hasattr(features, "weight"):
            inner = _on_tensors(features, clone, dtype, told and _told(features))
        yield Attempt(output=_on_tensors(clone, clone, dtype, told), features=inner, dtype=dtype)


def _told(features: Any) -> bool:
    return has_tau(features.forward if is_module(features) else features)


def _of_function(function: Any, told: bool) -> Iterator[Attempt]:
    def on_arrays(x: Batch, tau: float) -> Any:
        return function(x.copy(), tau=tau) if told else function(x.copy())

    yield Attempt(output=on_arrays, features=None, dtype="float64 arrays")
    for dtype in ("float64", "float32"):
        call = _on_tensors(function, None, dtype, told)
        yield Attempt(output=call, features=None, dtype=f"{dtype} tensors")


def _on_tensors(function: Any, module: Any, dtype: str, told: bool) -> Call:
    def call(x: Batch, tau: float) -> Any:
        import torch

        weight = None if module is None else next(module.parameters(), None)
        tensor = torch.from_numpy(np.ascontiguousarray(x)).to(getattr(torch, dtype))
        tensor = tensor if weight is None else tensor.to(weight.device)
        with torch.no_grad():
            return function(tensor, tau=tau) if told else function(tensor)

    return call


def _subject(
    model: Any,
    attempt: Attempt,
    outputs: list[tuple[np.ndarray, str]],
    samples: tuple[Sample, Sample],
    why_not: str | None,
    tried: list[str],
    name: str,
) -> Subject:
    kind = outputs[0][1]
    axes = axes_of([array.shape for array, _ in outputs], [x.shape[1] for x in samples])
    pooled = axes in ("bc", "b")
    inner, unseen = _feature_axes(attempt, samples) if pooled else (None, "")
    reasons = {} if why_not is None else {"protocol": why_not}
    if unseen:
        reasons["memory"] = unseen
    return Subject(
        name=name,
        call=_call(attempt, axes, inner),
        told=why_not is None,
        declared_order=declared_order(model),
        dtype=attempt.dtype if attempt.dtype.startswith(kind) else f"{attempt.dtype} to {kind}",
        eps=spacing(kind),
        batched=knows_its_batch(model),
        pooled=pooled,
        notes=tuple(_notes(model, attempt, tried)),
        reasons=reasons,
    )


def _call(
    attempt: Attempt, axes: str, inner: str | None
) -> Callable[[Batch, float], Mapping[str, np.ndarray]]:
    def call(x: Batch, tau: float) -> Mapping[str, np.ndarray]:
        read = {"output": three_axes(to_array(attempt.output(x, tau))[0], axes)}
        if inner is not None and attempt.features is not None:
            read["features"] = three_axes(to_array(attempt.features(x, tau))[0], inner)
        return read

    return call


def _feature_axes(attempt: Attempt, samples: tuple[Sample, Sample]) -> tuple[str | None, str]:
    """Return how to read the features of a pooling model, or None and why they are not reached."""
    if attempt.features is None:
        return None, POOLED_UNSEEN
    try:
        shapes = [to_array(attempt.features(x, 1.0))[0].shape for x in samples]
        axes = axes_of(shapes, [x.shape[1] for x in samples])
    except FAILURES as error:
        return None, f"{POOLED_UNSEEN}: {_first_line(error)}"
    if axes not in ("btc", "bt"):
        return None, f"{POOLED_UNSEEN}: features(x) has no time axis"
    return axes, ""


def _notes(model: Any, attempt: Attempt, tried: list[str]) -> Iterator[str]:
    if is_module(model) and tried:
        yield f"Measured in {attempt.dtype}: the model fails {tried[0]}."
    if is_layer(model) and getattr(model, "D", None) is not None:
        yield (
            "The layer was measured as it is, with its skip term D u, which has no memory and can "
            "dominate the output; build it with skip=False to see its dynamics."
        )


def _first_line(error: Exception) -> str:
    text = str(error)
    if isinstance(error, TimegrainError) and error.got is not None:
        text = f"{error.what}, got {error.got}"
    return (text.strip().splitlines() or [type(error).__name__])[0]

"""Any module and any function as a `Subject`."""

import copy
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from timegrain.continuity.model.attempt import FAILURES, Attempt, Call, first_line
from timegrain.continuity.model.introspect import (
    declared_order,
    has_tau,
    is_layer,
    is_module,
    knows_its_batch,
    model_name,
    why_not_told,
)
from timegrain.continuity.model.reach import reach
from timegrain.continuity.model.readout import axes_of, spacing, to_array
from timegrain.continuity.model.subject import Batch, Sample, Subject
from timegrain.core.errors import ModelError

if TYPE_CHECKING:
    import torch


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
            tried.append(f"in {attempt.dtype}: {first_line(error)}")
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
                got=first_line(error),
                hint="passing a function: lambda x: model(x)",
            ) from error
        clone = to_double(clone) if dtype == "float64" else clone
        features = getattr(clone, "features", None)
        inner = None
        if callable(features) and not hasattr(features, "weight"):
            inner = _on_tensors(features, clone, dtype, told and _told(features))
        yield Attempt(
            output=_on_tensors(clone, clone, dtype, told),
            features=inner,
            dtype=dtype,
            module=clone,
        )


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
    readouts = reach(attempt, axes, samples)
    reasons = {"protocol": why_not, "memory": readouts.reason}
    notes = [readouts.note, *_notes(model, attempt, tried)]
    return Subject(
        name=name,
        call=readouts.call,
        told=why_not is None,
        declared_order=declared_order(model),
        dtype=attempt.dtype if attempt.dtype.startswith(kind) else f"{attempt.dtype} to {kind}",
        eps=spacing(kind),
        batched=knows_its_batch(model),
        pooled=axes in ("bc", "b"),
        memory_layer=readouts.memory_layer,
        notes=tuple(filter(None, notes)),
        reasons={field: why for field, why in reasons.items() if why},
    )


def _notes(model: Any, attempt: Attempt, tried: list[str]) -> Iterator[str]:
    if is_module(model) and tried:
        yield f"Measured in {attempt.dtype}: the model fails {tried[0]}."
    if is_layer(model) and getattr(model, "D", None) is not None:
        yield (
            "The layer was measured as it is, with its skip term D u, which has no memory and can "
            "dominate the output; build it with skip=False to see its dynamics."
        )

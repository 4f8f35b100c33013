"""Any module and any function as a `Subject`."""

import copy
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from timegrain.continuity.model.attempt import FAILURES, Attempt, Call, first_line
from timegrain.continuity.model.conduct import check_conduct
from timegrain.continuity.model.introspect import (
    declared_order,
    fastest_mode,
    has_tau,
    is_layer,
    is_module,
    knows_its_batch,
    model_name,
    why_not_told,
)
from timegrain.continuity.model.reach import reach
from timegrain.continuity.model.readout import Form, spacing, to_array
from timegrain.continuity.model.subject import Batch, Sample, Subject
from timegrain.core.errors import ModelError
from timegrain.core.users_code import users_code

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
        ModelError: If it cannot be called in any way, its output cannot be read, or it is random
            or mixes the sequences of a batch.
    """
    why, name = why_not_told(model), name or model_name(model)
    make = _of_module if is_module(model) else _of_function
    tried: dict[str, str] = {}
    failure: Exception | None = None
    for attempt in make(model, why is None, name):
        try:
            outputs = [to_array(attempt.output(x, 1.0)) for x in samples]
        except FAILURES as error:
            tried[attempt.dtype], failure = first_line(error), error
            continue
        return _subject(model, attempt, outputs, samples, why, tried, name)
    ways = [f"in {dtype}: {reason}" for dtype, reason in tried.items()]
    raise ModelError(
        f"{name} cannot be measured on input of shape {samples[0].shape}",
        got=next(iter(tried.values())) if len(set(tried.values())) == 1 else "; ".join(ways),
        expected="a model of (batch, time, channel) with finite outputs",
        hint="d_input=..., or wrapping the model in a function of such arrays",
    ) from failure


def to_double(module: "torch.nn.Module") -> "torch.nn.Module":
    """Cast all real and complex parameters and buffers of a module to double precision."""
    import torch

    module.double()
    for tensor in (*module.parameters(), *module.buffers()):
        if tensor.is_complex():  # Module.double() leaves these as they are
            tensor.data = tensor.data.to(torch.complex128)
    return module


def _of_module(model: Any, told: bool, name: str) -> Iterator[Attempt]:
    own = next((str(p.dtype) for p in model.parameters() if p.is_floating_point()), "float64")
    for dtype in dict.fromkeys(("float64", own.removeprefix("torch."))):
        with users_code(
            name, ModelError, doing="cannot be copied", hint="a function: lambda x: model(x)"
        ):
            clone = copy.deepcopy(model).eval()
        clone = to_double(clone) if dtype == "float64" else clone
        features = getattr(clone, "features", None)
        inner = None
        if callable(features) and not hasattr(features, "weight"):
            inner = _on_tensors(features, clone, dtype, told and _told(features), name)
        yield Attempt(
            output=_on_tensors(clone, clone, dtype, told, name),
            features=inner,
            dtype=dtype,
            module=clone,
        )


def _told(features: Any) -> bool:
    return has_tau(features.forward if is_module(features) else features)


def _of_function(function: Any, told: bool, name: str) -> Iterator[Attempt]:
    def on_arrays(x: Batch, tau: float) -> Any:
        with users_code(name, ModelError):
            return function(x.copy(), tau=tau) if told else function(x.copy())

    yield Attempt(output=on_arrays, features=None, dtype="float64 arrays")
    for dtype in ("float64", "float32"):
        call = _on_tensors(function, None, dtype, told, name)
        yield Attempt(output=call, features=None, dtype=f"{dtype} tensors")


def _on_tensors(function: Any, module: Any, dtype: str, told: bool, name: str) -> Call:
    def call(x: Batch, tau: float) -> Any:
        import torch

        weight = None if module is None else next(module.parameters(), None)
        tensor = torch.from_numpy(np.ascontiguousarray(x)).to(getattr(torch, dtype))
        tensor = tensor if weight is None else tensor.to(weight.device)
        with torch.no_grad(), users_code(name, ModelError):
            return function(tensor, tau=tau) if told else function(tensor)

    return call


def _subject(
    model: Any,
    attempt: Attempt,
    outputs: list[tuple[np.ndarray, str]],
    samples: tuple[Sample, Sample],
    why_not: str | None,
    tried: Mapping[str, str],
    name: str,
) -> Subject:
    kind = outputs[0][1]
    form = Form.of([array.shape for array, _ in outputs], [x.shape[1] for x in samples])
    conduct = check_conduct(attempt, samples[0], name)
    readouts = reach(attempt, form, samples)
    reasons = {"protocol": why_not, "memory": readouts.reason}
    notes = [readouts.note, conduct.note, *_notes(model, attempt, tried)]
    return Subject(
        name=name,
        call=readouts.call,
        told=why_not is None,
        declared_order=declared_order(model),
        dtype=attempt.dtype if attempt.dtype.startswith(kind) else f"{attempt.dtype} to {kind}",
        eps=spacing(kind),
        batched=knows_its_batch(model),
        pooled=form.pooled,
        constant=conduct.constant,
        memory_layer=readouts.memory_layer,
        fastest=fastest_mode(attempt.module),
        notes=tuple(filter(None, notes)),
        reasons={field: why for field, why in reasons.items() if why},
    )


def _notes(model: Any, attempt: Attempt, tried: Mapping[str, str]) -> Iterator[str]:
    if is_module(model) and tried:
        dtype, reason = next(iter(tried.items()))
        yield f"Measured in {attempt.dtype}: the model fails in {dtype}: {reason}."
    if is_layer(model) and getattr(model, "D", None) is not None:
        yield (
            "The layer was measured as it is, with its skip term D u, which has no memory and can "
            "dominate the output; build it with skip=False to see its dynamics."
        )

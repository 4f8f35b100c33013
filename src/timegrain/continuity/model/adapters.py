"""Any module and any function as a `Subject`."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from timegrain.continuity.adapter.invoke import invoke, invoke_features
from timegrain.continuity.adapter.model_adapter import ModelAdapter
from timegrain.continuity.adapter.reaches import check_reaches
from timegrain.continuity.adapter.settings import settings
from timegrain.continuity.model.attempt import FAILURES, SWAPPED, Attempt, Call, first_line
from timegrain.continuity.model.conduct import check_conduct
from timegrain.continuity.model.introspect import (
    declared_order,
    fastest_mode,
    is_layer,
    is_module,
    knows_its_batch,
)
from timegrain.continuity.model.reach import reach
from timegrain.continuity.model.readout import Form, spacing, to_array
from timegrain.continuity.model.scripted import deep_copy, is_scripted
from timegrain.continuity.model.subject import Batch, Sample, Subject
from timegrain.core.errors import ModelError, TimegrainError
from timegrain.core.table import number
from timegrain.core.users_code import users_code

if TYPE_CHECKING:
    import torch


def adapt(
    model: Any, samples: tuple[Sample, Sample], *, name: str | None = None, dt: float = 1.0
) -> Subject:
    """Return a module or a function as a `Subject`.

    Args:
        model: A `torch.nn.Module`, deep-copied to eval mode and float64, or its own type where it
            does not run in float64; a function of arrays or tensors; or a `ModelAdapter` of one.
        samples: Inputs of two lengths, `(1, time, channel)`, to try it on: those of the first two
            levels.
        name: For results; the model's own otherwise.
        dt: The working step.

    Raises:
        ModelError: If it cannot be called in any way, its output cannot be read, it is random or
            mixes the sequences of a batch, or it is not told its step as its adapter says.
    """
    adapter = model if isinstance(model, ModelAdapter) else ModelAdapter(model)
    name = name or adapter.called
    make = _of_module if is_module(adapter.model) else _of_function
    tried: dict[str, str] = {}
    failure: Exception | None = None
    swapped = False
    for attempt in make(adapter, name, dt):
        outputs: list[tuple[np.ndarray, str]] = []
        try:
            for x in samples:
                outputs.append(to_array(attempt.output(x, 1.0)))
        except FAILURES as error:
            where = f" on level {len(outputs)}" if outputs else ""
            tried[attempt.dtype], failure = first_line(error) + where, error
            swapped = swapped or _runs(attempt, np.swapaxes(samples[0], 1, 2).copy())
            continue
        return _subject(adapter, attempt, outputs, samples, tried, name, dt)
    raise _refused(name, samples[0], tried, failure, swapped) from failure


def _refused(
    name: str, x: Sample, tried: Mapping[str, str], failure: Exception | None, swapped: bool
) -> TimegrainError:
    """Return the error of a model that runs in none of the ways that were tried."""
    alike = len(set(tried.values())) == 1
    ours = failure if isinstance(failure, ModelError) and failure.__cause__ is None else None
    if alike and ours is not None and ours.hint and ours.got is not None:
        return ours.within(f"{name}, on an input of shape {x.shape}")
    ways = [f"in {dtype}: {reason}" for dtype, reason in tried.items()]
    return ModelError(
        f"{name} cannot be measured on level 0, input of shape {x.shape}",
        got=next(iter(tried.values())) if alike else "; ".join(ways),
        expected="a model of (batch, time, channel) with finite outputs",
        hint=SWAPPED
        if swapped
        else "d_input=..., or wrapping the model in a function of such arrays",
    )


def _runs(attempt: Attempt, x: Batch) -> bool:
    try:
        attempt.output(x, 1.0)
    except FAILURES:
        return False
    return True


def to_double(module: "torch.nn.Module") -> "torch.nn.Module":
    """Cast all real and complex parameters and buffers of a module to double precision."""
    import torch

    module.double()
    for tensor in (*module.parameters(), *module.buffers()):
        if tensor.is_complex():  # Module.double() leaves these as they are
            tensor.data = tensor.data.to(torch.complex128)
    return module


def _of_module(adapter: ModelAdapter, name: str, dt: float) -> Iterator[Attempt]:
    model = adapter.model
    types = (adapter.dtype,) if adapter.dtype else ("float64", _own_dtype(model))
    for dtype in dict.fromkeys(types):
        with users_code(
            name, ModelError, doing="cannot be copied", hint="a function: lambda x: model(x)"
        ):
            clone = deep_copy(model).eval()
        clone = to_double(clone) if dtype == "float64" else clone
        clone = clone.float() if adapter.dtype == "float32" else clone
        features = getattr(clone, "features", None)
        inner = None
        if callable(features) and not hasattr(features, "weight"):
            inner = _on_tensors(adapter, clone, dtype, name, dt, through=_features)
        yield Attempt(
            output=_on_tensors(adapter, clone, dtype, name, dt),
            features=inner,
            dtype=dtype,
            module=clone,
        )


def _own_dtype(model: "torch.nn.Module") -> str:
    """Return the type of a module's parameters; a frozen script has them as constants, unseen."""
    unseen = "float32" if is_scripted(model) else "float64"
    own = next((str(p.dtype) for p in model.parameters() if p.is_floating_point()), unseen)
    return own.removeprefix("torch.")


def _of_function(adapter: ModelAdapter, name: str, dt: float) -> Iterator[Attempt]:
    def on_arrays(x: Batch, tau: float) -> Any:
        with users_code(name, ModelError):
            return _whole(adapter, adapter.model, x.copy(), tau, dt)

    if adapter.dtype in (None, "float64"):
        yield Attempt(output=on_arrays, features=None, dtype="float64 arrays")
    for dtype in ("float64", "float32"):
        if adapter.dtype in (None, dtype):
            call = _on_tensors(adapter, adapter.model, dtype, name, dt)
            yield Attempt(output=call, features=None, dtype=f"{dtype} tensors")


def _whole(adapter: ModelAdapter, model: Any, x: Any, tau: float, dt: float) -> Any:
    trained = adapter.trained_dt or dt
    return invoke(adapter, model, x, tau * (dt / trained), trained_dt=trained)


def _features(adapter: ModelAdapter, model: Any, x: Any, tau: float, dt: float) -> Any:
    trained = adapter.trained_dt or dt
    return invoke_features(adapter, model, x, tau * (dt / trained), trained_dt=trained)


def _on_tensors(
    adapter: ModelAdapter,
    model: Any,
    dtype: str,
    name: str,
    dt: float,
    *,
    through: Callable[[ModelAdapter, Any, Any, float, float], Any] = _whole,
) -> Call:
    def call(x: Batch, tau: float) -> Any:
        import torch

        weight = next(model.parameters(), None) if is_module(model) else None
        tensor = torch.from_numpy(np.ascontiguousarray(x)).to(getattr(torch, dtype))
        tensor = tensor if weight is None else tensor.to(weight.device)
        with torch.no_grad(), users_code(name, ModelError):
            return through(adapter, model, tensor, tau, dt)

    return call


def _subject(
    adapter: ModelAdapter,
    attempt: Attempt,
    outputs: list[tuple[np.ndarray, str]],
    samples: tuple[Sample, Sample],
    tried: Mapping[str, str],
    name: str,
    dt: float,
) -> Subject:
    model, why_not, kind = adapter.model, adapter.why_not_told, outputs[0][1]
    form = Form.of([array.shape for array, _ in outputs], [x.shape[1] for x in samples])
    conduct = check_conduct(attempt, samples[0], name)
    if adapter.asked and not conduct.constant:
        check_reaches(adapter, attempt, samples[0], name)
    readouts = reach(attempt, form, samples, pooling=adapter.pooling)
    reasons = {"protocol": why_not, "memory": readouts.reason}
    notes = [readouts.note, conduct.note, *_notes(adapter, attempt, tried, dt)]
    return Subject(
        name=name,
        call=readouts.call,
        told=why_not is None,
        declared_order=declared_order(model),
        dtype=attempt.dtype if attempt.dtype.startswith(kind) else f"{attempt.dtype} to {kind}",
        eps=spacing(kind),
        batched=knows_its_batch(model),
        together=conduct.apart and readouts.together,
        pooled=form.pooled,
        constant=conduct.constant,
        memory_layer=readouts.memory_layer,
        layer=_layer(adapter, attempt),
        trained_dt=adapter.trained_dt,
        fastest=fastest_mode(attempt.module),
        source=model,
        settings=settings(adapter),
        notes=tuple(filter(None, notes)),
        reasons={field: why for field, why in reasons.items() if why},
    )


def _layer(adapter: ModelAdapter, attempt: Attempt) -> Any:
    own = not adapter.asked and adapter.telling is not None and adapter.output is None
    return (
        attempt.module if own and attempt.dtype == "float64" and is_layer(attempt.module) else None
    )


def _notes(
    adapter: ModelAdapter, attempt: Attempt, tried: Mapping[str, str], dt: float
) -> Iterator[str]:
    model, told = adapter.model, adapter.telling
    if is_module(model) and tried:
        dtype, reason = next(iter(tried.items()))
        yield f"Measured in {attempt.dtype}: the model fails in {dtype}: {reason}."
    if adapter.asked and told is not None:
        yield f"How the model is told its step: {told.words}."
    if adapter.trained_dt is not None and adapter.why_not_told is None:
        yield (
            f"The model was trained at a step of {number(adapter.trained_dt)}: on the working grid "
            f"it is told tau = {number(dt / adapter.trained_dt)}."
        )
    if is_layer(model) and getattr(model, "D", None) is not None:
        yield (
            "The layer was measured as it is, with its skip term D u, which has no memory and can "
            "dominate the output; build it with skip=False to see its dynamics."
        )

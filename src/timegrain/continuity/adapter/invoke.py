"""One call of an adapted model."""

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

from timegrain.continuity.adapter.model_adapter import ModelAdapter
from timegrain.continuity.model.introspect import has_parameter, is_module
from timegrain.core.errors import ModelError


def invoke(adapter: ModelAdapter, model: Any, x: Any, tau: float, *, trained_dt: float) -> Any:
    """Return what of a model's answer is measured.

    Args:
        adapter: How it is called.
        model: The adapter's model, or a copy of it.
        x: Array or tensor, `(batch, time, channel)`.
        tau: `dt / dt_trained`.
        trained_dt: `dt_trained`.

    Raises:
        ModelError: If its answer has no such part.
    """
    told = adapter.telling
    others = adapter.others(x, tau) if callable(adapter.others) else adapter.others
    context = nullcontext({}) if told is None else told.told(model, tau, trained_dt)
    with context as arguments:
        given = {**others, **arguments}
        if adapter.inputs is None:
            answer = model(x, **given)
        else:
            answer = model(**{adapter.inputs: x}, **given)
    return part_of(answer, adapter.output)


def invoke_features(
    adapter: ModelAdapter, model: Any, x: Any, tau: float, *, trained_dt: float
) -> Any:
    """Return what a model's own method `features` returns; arguments as in `invoke`.

    It is given the arguments that it names.
    """
    features, told = model.features, adapter.telling
    function = features.forward if is_module(features) else features
    context = nullcontext({}) if told is None else told.told(model, tau, trained_dt)
    with context as arguments:
        return features(x, **{k: v for k, v in arguments.items() if has_parameter(function, k)})


def part_of(answer: Any, output: Any) -> Any:
    """Return the part of an answer that an adapter names.

    Args:
        answer: What a model returned.
        output: As in `ModelAdapter`.

    Raises:
        ModelError: If there is no such part.
    """
    if output is None:
        return answer
    if callable(output):
        return output(answer)
    if isinstance(output, str) and not isinstance(answer, Mapping):
        found = getattr(answer, output, None)
    else:
        try:
            found = answer[output]
        except (KeyError, IndexError, TypeError):
            found = None
    if found is None:
        parts = ", ".join(map(str, answer)) if isinstance(answer, Mapping) else type(answer)
        raise ModelError(f"the answer has no part {output!r}", got=parts)
    return found

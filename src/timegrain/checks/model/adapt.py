"""Whatever a user passes as a model, as a `Subject`."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from timegrain.checks.model.adapted import Adapted, unwrapped
from timegrain.checks.model.arguments import check_input_fits, check_width
from timegrain.checks.model.inputs import Inputs
from timegrain.checks.model.subject import Built, Subject, cast_model
from timegrain.continuity.adapter.model_adapter import ModelAdapter
from timegrain.continuity.model.attempt import FAILURES, SWAPPED, first_line
from timegrain.continuity.model.introspect import (
    REFUSES,
    declared_order,
    has_parameter,
    input_width,
    is_module,
    model_name,
    why_not_told,
)
from timegrain.continuity.model.scripted import deep_copy
from timegrain.core.errors import ConfigError, ModelError
from timegrain.core.users_code import users_code

NO_LENGTHS = "it has no parameter named lengths"
LENGTHS = (9, 33, 129, 513)  # samples that a model is tried on, until it takes them
SHORTEST = (1, 5)
NUMBERS = 2**24  # of output that one sequence may give
WHOLE = "it says that it needs the whole sequence (steps = False)"


def adapt(
    model: Any,
    *,
    d_input: int | None,
    vocab: int | None,
    d_model: int,
    options: Mapping[str, Any],
    seed: int,
    name: str | None = None,
) -> Subject:
    """Return a registered name, a module, a function or an adapter of one as a subject.

    Args:
        model: The model.
        d_input: Channels of its input, where it does not say so itself.
        vocab: Number of tokens, where its input is tokens.
        d_model: For a name: channels of the layer.
        options: For a name: options of the layer.
        seed: Of weights and inputs.
        name: For results; the model's own if not given.

    Raises:
        ConfigError: If options do not go with the model, or a width is none.
        UnknownNameError: If there is no such registered layer.
        ModelError: If the model cannot be called, or its width is not known.
    """
    check_width("d_input", d_input)
    check_width("vocab", vocab)
    if isinstance(model, str):
        return _registered(model, d_input, vocab, d_model, options, seed, name)
    if options:
        raise ConfigError(
            "options belong to a registered name",
            got=", ".join(options),
            hint="passing the model with its options set, and no options",
        )
    adapter = model if isinstance(model, ModelAdapter) else None
    if adapter is not None:
        model, name = unwrapped(adapter), name or adapter.called
        d_input = adapter.d_input if d_input is None and vocab is None else d_input
    if isinstance(model, type) or not callable(model):
        raise ModelError(
            "this is not a model",
            got=f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__,
            expected="a registered name, an nn.Module, or a function of (batch, time, channel)",
        )
    asked = "cannot be asked what it offers"
    with users_code(name or type(model).__name__, ModelError, doing=asked):
        vocab = _own_vocab(model) if vocab is None and d_input is None else vocab
        width = vocab or input_width(model, d_input=d_input, from_signal=None)
        inputs = Inputs(width=width, tokens=vocab is not None, seed=seed)
        if not inputs.tokens:
            check_input_fits(width)
        subject = _of_object(model, inputs, name or model_name(model))
    if adapter is not None:
        order = declared_order(adapter.model)
        subject = replace(subject, untold=adapter.why_not_told or "", order=order)
    return _working(subject)


def _registered(
    layer: str,
    d_input: int | None,
    vocab: int | None,
    d_model: int,
    options: Mapping[str, Any],
    seed: int,
    name: str | None,
) -> Subject:
    for what, given in (("d_input", d_input), ("vocab", vocab)):
        if given is not None:
            raise ConfigError(f"a layer takes d_model channels, got {what}={given}", hint="d_model")
    built = Built(layer=layer, d_model=d_model, options=dict(options), seed=seed)
    inputs = Inputs(width=d_model, tokens=False, seed=seed)
    subject = _of_object(built.make(), inputs, name or layer)
    return _working(replace(subject, built=built))


def _of_object(model: Any, inputs: Inputs, name: str) -> Subject:
    if is_module(model):
        if any(t.is_meta for t in (*model.parameters(), *model.buffers())):
            raise ModelError(
                f"{name} has no numbers to compute with",
                got="weights on the meta device",
                hint="to_empty(device='cpu') and loading its weights first",
            )
        with users_code(name, ModelError, doing="cannot be copied"):
            model = deep_copy(model).eval()
    call = model.forward if is_module(model) else model
    untold = why_not_told(model) or ""
    unscanned = _without(model, "scan")
    return Subject(
        name=name,
        model=model,
        inputs=inputs,
        dtype=torch.float64,
        untold=untold,
        refuses=untold == REFUSES and has_parameter(call, "tau"),
        unmasked="" if has_parameter(call, "lengths") else NO_LENGTHS,
        unscanned=unscanned,
        unstepped=unscanned or _without(model, "step"),
        order=declared_order(model),
    )


def _working(subject: Subject) -> Subject:
    """Return the subject in float64, or in what it can be called in, with how short it can be."""
    tried: dict[str, str] = {}
    failure: Exception | None = None
    for length in LENGTHS:
        for attempt in _ways(subject):
            found = _failure(attempt, length)
            if isinstance(found, Subject):
                return replace(
                    found,
                    fewest=_fewest(found, length),
                    most=_most(found, length),
                    untouched=subject.module,
                )
            failure = failure or found
            if length == LENGTHS[0]:
                tried[first_line(found)] = ""
    width = subject.inputs.width
    raise ModelError(
        f"{subject.name} cannot be called on input of "
        + ("tokens (2, 9)" if subject.inputs.tokens else f"shape (2, 9, {width})"),
        got="; ".join(tried),
        expected="a model of (batch, time, channel), or of (batch, time) tokens with vocab=, for "
        "any number of samples",
        hint=SWAPPED
        if _runs_swapped(subject)
        else "d_input=... or vocab=..., or a function that wraps the model",
    ) from failure


def _runs_swapped(subject: Subject) -> bool:
    """Return whether a subject runs on (batch, channel, time)."""
    if subject.inputs.tokens:
        return False
    for attempt in _ways(subject):
        try:
            made = attempt()
            with torch.no_grad(), torch.random.fork_rng(devices=[]):
                made(made.draw(2, LENGTHS[0]).swapaxes(1, 2))
        except (*FAILURES, ModelError, MemoryError):
            continue
        return True
    return False


def _failure(attempt: Callable[[], Subject], length: int) -> Subject | Exception:
    """Return the subject if it takes so many samples, else what it raised."""
    try:
        made = attempt()
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            made(made.draw(2, length))
    except (*FAILURES, ModelError, MemoryError) as error:
        return error
    return made


def _fewest(subject: Subject, length: int) -> int:
    """Return the fewest samples that the subject takes, of some numbers up to `length`."""
    shorter = [n for n in SHORTEST if n < length]
    return next((n for n in shorter if _failure(lambda: subject, n) is subject), length)


def _most(subject: Subject, length: int) -> int:
    """Return how many samples give no more numbers than fit easily into memory."""
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        y = subject(subject.draw(2, length))
    return max(NUMBERS * 2 * length // max(y.numel(), 1), LENGTHS[1])


def _ways(subject: Subject) -> list[Callable[[], Subject]]:
    model = subject.model
    if not isinstance(model, nn.Module):
        return [
            lambda: subject,
            lambda: replace(subject, dtype=torch.float32),
            lambda: replace(subject, arrays=True),
        ]

    def own() -> Subject:
        weight = next((p for p in model.parameters() if p.is_floating_point()), None)
        dtype = torch.float32 if weight is None else weight.dtype
        return replace(subject, model=cast_model(model, dtype, subject.name), dtype=dtype)

    if isinstance(model, Adapted) and model.adapter.dtype == "float32":
        return [own]
    return [lambda: subject.to(torch.float64), own]


def _own_vocab(model: Any) -> int | None:
    """Return the number of tokens where a module's first submodule with a width embeds them."""
    for module in model.modules() if is_module(model) else ():
        if isinstance(module, nn.Embedding):
            return module.num_embeddings
        if any(isinstance(getattr(module, n, None), int) for n in ("in_features", "in_channels")):
            return None
    return None


def _without(model: Any, method: str) -> str:
    """Return why a model's method of this name is not used; empty if it is."""
    if getattr(model, "steps", True) is False:
        return WHOLE
    function = getattr(model, method, None)
    if not callable(function) or not has_parameter(function, "state"):
        return f"it has no {method}(x, state)"
    return ""

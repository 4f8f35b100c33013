"""What a model says about itself: width, order, and whether it can be told its step."""

import inspect
from collections.abc import Callable
from typing import Any

from timegrain.continuity.model.scripted import argument_names, class_name
from timegrain.core.errors import ModelError

WIDTHS = ("in_features", "in_channels", "input_size", "d_input")
WITHIN = ("d_model", "d")  # of a whole module it may be the width within
NOT_TOLD = "the model has no parameter named tau, so it is called as it is on every grid"
STEP_WORDS = (  # names that an argument has which may be the step
    *("dt", "delta_t", "step_scale", "rate"),
    *("hz", "fs", "sr", "sampling_rate", "sample_rate"),
)
REFUSES = "the model says that it cannot be told its step (takes_tau = False)"


def input_width(model: Any, *, d_input: int | None, from_signal: int | None) -> int:
    """Return how many channels a model takes.

    The first that is known: `d_input`; the channels of a signal; the width of a timegrain layer;
    for a module the first `in_features`, `in_channels`, `input_size` or `d_input` among its
    submodules, or if none has such, the first `d_model` or `d`; for a function 1.

    Args:
        model: A module or a function.
        d_input: What the user says.
        from_signal: Channels of a signal the user gave.

    Raises:
        ModelError: If nothing says it.

    Example:
        >>> input_width(lambda x: x, d_input=None, from_signal=None)
        1
    """
    for known in (d_input, from_signal):
        if known is not None:
            return known
    if not is_module(model):
        return 1
    for known_as in (WIDTHS, WITHIN):
        for module in model.modules():
            for name in (*known_as, "d_model") if is_layer(module) else known_as:
                width = getattr(module, name, None)
                if isinstance(width, int) and width > 0:
                    return width
    raise ModelError(
        f"the input width of {type(model).__name__} is not known",
        got=f"no submodule with {', '.join(WIDTHS)}, {' or '.join(WITHIN)}",
        hint="d_input=the number of channels it takes",
    )


def declared_order(model: Any) -> int | None:
    """Return the order of convergence that a model, or every timegrain layer in it, declares."""
    order = getattr(model, "order", None)
    if isinstance(order, int) and not isinstance(order, bool) and order >= 1:
        return order
    mixers = getattr(model, "mixers", None)
    orders = [declared_order(m) for m in mixers] if isinstance(mixers, tuple) else []
    known = [o for o in orders if o is not None]
    return min(known) if known and len(known) == len(orders) else None


def why_not_told(model: Any) -> str | None:
    """Return why tau cannot reach a model; None if it can."""
    if getattr(model, "takes_tau", True) is False:
        return REFUSES
    function = model.forward if is_module(model) else model
    if has_tau(function):
        return None
    word = next((w for w in STEP_WORDS if has_parameter(function, w)), None)
    if word is None:
        return NOT_TOLD
    return f"{NOT_TOLD}; if {word} is its step, ModelAdapter(model, tau={word!r}) tells it"


def has_tau(function: Callable[..., Any]) -> bool:
    """Return whether a function has a parameter named `tau`; `**kwargs` does not count."""
    return has_parameter(function, "tau")


def has_parameter(function: Callable[..., Any], name: str) -> bool:
    """Return whether a function has a parameter of a name; `**kwargs` does not count."""
    compiled = argument_names(function)
    if compiled is not None:
        return name in compiled
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):  # functions in C carry no signature
        return False


def is_module(model: Any) -> bool:
    """Return whether a model is a `torch.nn.Module`, without importing torch for functions."""
    return all(hasattr(model, name) for name in ("modules", "parameters", "eval", "forward"))


def is_layer(model: Any) -> bool:
    """Return whether a module is one of timegrain's layers."""
    return hasattr(model, "dynamics_parameters") and hasattr(model, "d_model")


def knows_its_batch(model: Any) -> bool:
    """Return whether a module is ours, whose sequences never touch each other in a batch."""
    if not hasattr(model, "dynamics_parameters"):
        return False
    from timegrain.models.backbone.network import Backbone
    from timegrain.models.layer import SequenceLayer

    return isinstance(model, Backbone | SequenceLayer)


def model_name(model: Any) -> str:
    """Return a name for results: a function's own, else the class."""
    own = getattr(model, "__name__", None)
    if isinstance(own, str):
        return "function" if own == "<lambda>" else own
    return class_name(model) if is_module(model) else type(model).__name__


def fastest_mode(model: Any) -> float | None:
    """Return the largest `|lambda| Delta` of the time-invariant layers in a module, at tau = 1.

    It is how many radians or e-foldings the fastest mode moves on in a step; None where no layer of
    timegrain in it has `modes` and `log_dt`.

    Example:
        >>> from timegrain.models import build_layer
        >>> round(fastest_mode(build_layer("s4", d_model=64, seed=0)))
        129
    """
    found = []
    for module in model.modules() if is_module(model) else ():
        if not (is_layer(module) and hasattr(module, "modes") and hasattr(module, "log_dt")):
            continue
        speed, step = module.modes.detach().abs(), module.log_dt.detach().exp()
        found.append(float((speed * (step if speed.ndim == 1 else step[:, None])).max()))
    return max(found, default=None)

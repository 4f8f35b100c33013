"""What to do about the module that continuity is lost in: only what would apply to it."""

from typing import TYPE_CHECKING, Any

from timegrain.continuity.adapter.model_adapter import ModelAdapter
from timegrain.continuity.model.introspect import is_module
from timegrain.continuity.remedies.dilatable import dilatable
from timegrain.core.errors import GridError, ModelError

if TYPE_CHECKING:
    from timegrain.continuity.localisation.result import ModuleRow

DILATE = "remedy(model, 'dilate')"
BY_TIME = "which sets its taps apart by time instead of samples"
BY_HAND = (
    "set its dilation to 1 / tau in each call, and put (kernel - 1) / tau zeros before the first "
    "sample"
)


def advice(lost: "ModuleRow", module: Any, model: Any, *, dt: float, protocol: str) -> str:
    """Return what to do, in a clause; empty where its outcome says it all.

    Args:
        lost: The row of the module.
        module: The module.
        model: The model that it is in: a module or a function, or a `ModelAdapter` of one.
        dt: Working step.
        protocol: That was asked for; a model that is not to be told its step has no cure.
    """
    from torch import nn

    from timegrain.models.layers.short_convolution import ShortConvolution

    convolves = isinstance(module, ShortConvolution | nn.Conv1d) or "Conv" in lost.type
    if lost.loses != "memory" or not convolves or protocol == "native":
        return ""
    try:
        names = dilatable(model, dt=dt)
    except GridError as error:
        return f"{DILATE} on a grid that it can be dilated on, {error.hint}"
    except ModelError as error:
        if not is_module(model.model if isinstance(model, ModelAdapter) else model):
            return f"{error.hint}; then {DILATE}, {BY_TIME}"
        names = ()
    if lost.module in names:
        return f"{DILATE}, {BY_TIME}"
    return (
        f"a change by hand, since {DILATE} reaches a Conv1d of stride 1 alone that pads with zeros "
        f"by itself: let it do so (padding=kernel - 1, the end cut off), or {BY_HAND}"
    )


def where_to_look(model: Any, *, dt: float) -> str:
    """Return what to do about a model that is told its step, and whose memory collapses.

    Args:
        model: As for `advice`, or a registered name.
        dt: Working step.
    """
    own = model.model if isinstance(model, ModelAdapter) else model
    if not (isinstance(own, str) or is_module(own)):
        return "localise(model) names the module that counts samples, if it runs any"
    try:
        reached = isinstance(own, str) or bool(dilatable(model, dt=dt))
    except (GridError, ModelError):
        reached = False
    cure = f"; {DILATE} cures a short convolution" if reached else ""
    return f"localise(model) names the part that counts samples{cure}"

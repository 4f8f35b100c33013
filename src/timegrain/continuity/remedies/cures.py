"""The cures by name: what each changes in a model, and where it does not apply."""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from timegrain.continuity.model.introspect import is_layer, is_module
from timegrain.core.errors import ConfigError, ModelError
from timegrain.core.registry import suggest

if TYPE_CHECKING:
    import torch

Treat = Callable[["torch.nn.Module", float], tuple["torch.nn.Module", tuple[str, ...]]]
SECOND_ORDER = ("trapezoidal", "foh")


@dataclass(frozen=True, kw_only=True)
class Cure:
    """One way to change a model.

    Args:
        name: What people type.
        does: What it changes, in a clause.
        treat: From a model that may be changed, and `delta_max`, to the cured one and the names of
            the modules that it changed; ModelError where it does not apply.
    """

    name: str
    does: str
    treat: Treat


def cured(
    model: "torch.nn.Module", names: Sequence[str], *, delta_max: float
) -> tuple["torch.nn.Module", tuple[str, ...]]:
    """Return a changed copy of a model, and the names of the modules in it that were changed.

    Args:
        model: Any module; it stays as it is.
        names: Of the cures, applied one after the other.
        delta_max: Of the cure `"clamp"`.

    Raises:
        ConfigError: If a name is unknown, comes twice, or two do not go together.
        ModelError: If a cure does not apply to the model.

    Example:
        >>> from timegrain.models import build_layer
        >>> layer, changed = cured(build_layer("s4d", d_model=2), ["foh"], delta_max=0.1)
        >>> layer.order, changed
        (2, ('',))
    """
    for cure in check_cures(names):
        if not is_module(model):
            raise ModelError(
                f"{cure.name} changes modules",
                got=f"the function {getattr(model, '__name__', '')}".strip(),
                expected="a torch.nn.Module, or a registered name",
            )
    treated, changed = copy.deepcopy(model), []
    # convolutions last: they wrap the model, whose modules then have longer names
    for cure in sorted(check_cures(names), key=lambda c: c.name in WRAPPERS):
        treated, where = cure.treat(treated, delta_max)
        changed += [name for name in where if name not in changed]
    return treated, tuple(changed)


def check_cures(names: Sequence[str]) -> list[Cure]:
    """Return the cures of these names.

    Raises:
        ConfigError: If a name is unknown, comes twice, or two do not go together.
    """
    for name in names:
        if name not in CURES:
            raise ConfigError(
                "there is no such cure",
                got=repr(name),
                expected=", ".join(CURES),
                hint=suggest(name, list(CURES), count=1),
            )
    for group in (*({n} for n in CURES), WRAPPERS, set(SECOND_ORDER)):
        both = [name for name in names if name in group]
        if len(both) > 1:
            raise ConfigError("these cures change the same thing", got=" and ".join(both))
    if not names:
        raise ConfigError("no cure was named", expected=", ".join(CURES))
    return [CURES[name] for name in names]


def is_cured(layer: Any) -> bool:
    """Return whether a layer selects, or takes its input, in another way than S6 itself."""
    from timegrain.continuity.remedies.selections import EvenSelection, LimitedSelection
    from timegrain.continuity.remedies.trapezoidal import TrapezoidalS6

    own = getattr(layer, "__dict__", {}).get("select")
    return isinstance(layer, TrapezoidalS6) or isinstance(own, EvenSelection | LimitedSelection)


def _dilate(model: Any, _: float) -> tuple[Any, tuple[str, ...]]:
    from timegrain.models import Dilated

    wrapped = Dilated(model)
    return wrapped, wrapped.names


def _interpolate(model: Any, _: float) -> tuple[Any, tuple[str, ...]]:
    from timegrain.models import Interpolated

    wrapped = Interpolated(model)
    return wrapped, wrapped.names


def _ruled(name: str) -> Treat:
    def treat(model: Any, _: float) -> tuple[Any, tuple[str, ...]]:
        found = {n: m for n, m in model.named_modules() if is_layer(m)}
        changed = tuple(n for n, m in found.items() if _set_rule(m, name))
        if not changed:
            layers = ", ".join(sorted({type(m).__name__ for m in found.values()}))
            other = name == "foh" and any(_can_be_trapezoidal(m) for m in found.values())
            raise ModelError(
                f"{name} applies to no layer of {type(model).__name__}",
                got=f"its layers of timegrain: {layers or 'none'}",
                expected="S4D or S5" if name == "foh" else "S4, S4D, S5 or S6 (in Mamba, too)",
                hint="trapezoidal" if other else None,
            )
        return model, changed

    return treat


def _can_be_trapezoidal(layer: Any) -> bool:
    from timegrain.models.layers.s4 import S4
    from timegrain.models.layers.s6 import S6

    return type(layer) in (S4, S6)


def _set_rule(layer: Any, name: str) -> bool:
    from timegrain.continuity.remedies.trapezoidal import TrapezoidalS6
    from timegrain.models.discretize import DISCRETIZATIONS
    from timegrain.models.layers.s4 import S4
    from timegrain.models.layers.s4d import S4D
    from timegrain.models.layers.s5 import S5
    from timegrain.models.layers.s6 import S6

    if type(layer) is S6 and name == "trapezoidal":
        TrapezoidalS6.of(layer)
        return True
    if type(layer) is S4D or (type(layer) is S4 and name == "trapezoidal"):
        layer.rule = DISCRETIZATIONS[name]
    elif type(layer) is S5:
        layer.discretization = name
    else:
        return False
    layer.__dict__.pop("_form", None)  # the form of its states, which it works out once
    return True


def _selecting(name: str, model: Any) -> dict[str, Any]:
    from timegrain.models.layers.s6 import S6

    found = {n: m for n, m in model.named_modules() if isinstance(m, S6)}
    if not found:
        raise ModelError(
            f"{name} applies to no layer of {type(model).__name__}",
            got="no S6 in it, so that its Delta does not follow the input",
            expected="an S6, a Mamba block, or a network of them",
        )
    return found


def _clamp(model: Any, delta_max: float) -> tuple[Any, tuple[str, ...]]:
    from timegrain.continuity.remedies.selections import LimitedSelection

    found = _selecting("clamp", model)
    for layer in found.values():
        layer.select = LimitedSelection(layer, delta_max)
    return model, tuple(found)


def _normalise(model: Any, _: float) -> tuple[Any, tuple[str, ...]]:
    from timegrain.continuity.remedies.selections import EvenSelection

    found = _selecting("normalise", model)
    narrow = [n or type(m).__name__ for n, m in found.items() if m.d_model == 1]
    if narrow:
        raise ModelError(
            "one channel over its own size is its sign, which jumps",
            got=f"one channel in {', '.join(narrow)}",
            expected="two or more",
            hint="clamp",
        )
    for layer in found.values():
        layer.select = EvenSelection(layer)
    return model, tuple(found)


WRAPPERS = {"dilate", "interpolate"}
CURES: Mapping[str, Cure] = {
    cure.name: cure
    for cure in (
        Cure(
            name="dilate",
            does="sets the taps of short convolutions apart by time, where 1 / tau is whole",
            treat=_dilate,
        ),
        Cure(
            name="interpolate",
            does="the same at any step, on straight lines between samples",
            treat=_interpolate,
        ),
        Cure(
            name="trapezoidal",
            does="takes the input of a step as the mean of its ends",
            treat=_ruled("trapezoidal"),
        ),
        Cure(
            name="foh",
            does="takes the input as linear between samples, exactly",
            treat=_ruled("foh"),
        ),
        Cure(
            name="clamp",
            does="limits the Delta that S6 selects to delta_max",
            treat=_clamp,
        ),
        Cure(
            name="normalise",
            does="lets S6 select by the input over its root mean square across channels",
            treat=_normalise,
        ),
    )
}
"""By name."""

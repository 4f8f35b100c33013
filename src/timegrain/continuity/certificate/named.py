"""Layers and signals of `certify` by their names."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from timegrain.continuity.certificate.certifiable import check_certifiable
from timegrain.continuity.model.registered import registered_model
from timegrain.core.errors import ConfigError, ModelError, UnknownNameError
from timegrain.core.registry import suggest
from timegrain.data.signals import signal_families


def drawn_signal(
    name: str, *, dt: float, length: int, n_channels: int, seed: int
) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function that a family of signals draws first.

    Args:
        name: Of the family.
        dt: Step of the working grid.
        length: Its samples.
        n_channels: Channels.
        seed: Of the draw.

    Raises:
        UnknownNameError: If there is no such family.
        ConfigError: If its draws are known on grids only, or jump.
    """
    if name not in signal_families:
        raise UnknownNameError(
            f"there is no family of signals called {name!r}",
            expected=", ".join(signal_families.names()),
            hint=suggest(name, list(signal_families.names()), count=1),
        )
    family: Any = signal_families.load(name)
    if family.on_grids or family.derivatives < 0:
        raise ConfigError(
            "a bound needs a continuous function of time",
            got=f"{name}: {family.smoothness}",
            expected="such as sines, or c0 to c4",
        )
    draw = family.draw(dt=dt, length=length, n_channels=n_channels, seed=seed, pair=0)

    def drawn(times: np.ndarray) -> np.ndarray:
        values: np.ndarray = draw(times)
        return values

    drawn.__name__ = family.title
    return drawn


def named_layer(
    name: str, module: str | None, *, d_model: int, seed: int, options: Mapping[str, Any]
) -> Any:
    """Return a registered layer, or one in it, as `model_continuity`'s first pair begins with it.

    Raises:
        ModelError: If there is no such module in it, or no theorem for it.
        TimegrainError: If the layer cannot be built so.
    """
    layer, _ = registered_model(
        name, scope="layer", d_model=d_model, d_input=d_model, options=options, seed=seed, pair=0
    )
    return layer_within(layer, module, options={})


def layer_within(model: Any, module: str | None, *, options: Mapping[str, Any]) -> Any:
    """Return a module in a model; the model itself where none is named.

    Raises:
        ConfigError: If there are options, which are of registered layers.
        ModelError: If there is no such module, or no theorem for it.
    """
    if options:
        raise ConfigError("options go with a registered name", got=", ".join(options))
    if module is None:
        check_certifiable(model, by_word=True)
        return model
    inside = dict(model.named_modules()) if hasattr(model, "named_modules") else {}
    if module not in inside:
        raise ModelError(
            f"there is no module {module!r} in {type(model).__name__}",
            expected=", ".join(n for n in inside if n) or "a model with modules in it",
        )
    check_certifiable(inside[module], by_word=True)
    return inside[module]

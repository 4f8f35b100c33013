"""What a word of the command line means as a model."""

from collections.abc import Callable

from timegrain.core.errors import ModelError
from timegrain.core.locate import load_attribute


def locate_model(name: str) -> "str | Callable[..., object]":
    """Return a registry name as it is, or the object that `module:attribute` names.

    Args:
        name: A registered model, or `module:attribute` naming an `nn.Module` instance or a callable
            on arrays of shape `(batch, time, channel)`.

    Raises:
        UnknownNameError: If it is neither; the text suggests the nearest registered names.
        ConfigError: If the module or attribute cannot be found.
        ModelError: If the attribute is a class or cannot be called.

    Example:
        >>> locate_model("s4d")
        's4d'
    """
    from timegrain.models import models

    if ":" not in name:
        return models.entry(name).name
    found = load_attribute(name)
    if isinstance(found, type) or not callable(found):
        raise ModelError(
            f"{name} is not a model",
            got=f"the class {found.__name__}" if isinstance(found, type) else repr(type(found)),
            expected="an nn.Module instance, or a function of an array (batch, time, channel)",
            hint="a module-level instance, such as net = Net()",
        )
    return found

"""What `check_model` is told beside the model."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from timegrain.core.errors import ConfigError
from timegrain.models.capacity import check_memory
from timegrain.models.options import positive_int, refuse_set_apart, shown

_SET_APART = {
    "name": "the name in the place of the model",
    "d_model": "d_model=... beside the options",
    "seed": "seed=... beside the options",
}
_SAMPLES, _BYTES = 18, 8  # of the shortest input that a model is tried on


def options_of(options: Any) -> dict[str, Any]:
    """Return the options of a layer as a dict.

    Raises:
        ConfigError: If they are no map of names, or one of them stands beside them.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
        raise ConfigError(
            "options map the names of a layer's options to values",
            got=shown(options),
            hint='options={"n_pairs": 16}',
        )
    refuse_set_apart(options, _SET_APART)
    return dict(options)


def check_name(name: Any) -> None:
    """Check the name of a result, if there is one.

    Raises:
        ConfigError: If it is no text.
    """
    if not isinstance(name, str | None):
        raise ConfigError("the name of a result is text", got=shown(name))


def check_width(name: str, width: int | None) -> None:
    """Check a number of channels or tokens, if there is one.

    Raises:
        ConfigError: If it is not a whole number >= 1.
    """
    if width is not None:
        positive_int(name, width)


def check_input_fits(width: int) -> None:
    """Check that the shortest input of so many channels fits into memory.

    Raises:
        ModelError: If it does not.
    """
    what = f"an input of d_input={shown(width)} channels"
    check_memory(what, _SAMPLES * _BYTES * width, lower="d_input")


def names_of(option: str, names: Any, known: Sequence[str]) -> tuple[str, ...]:
    """Return the names that `only` or `skip` list.

    Args:
        option: What the list is called.
        names: The list, or one name.
        known: Names of all checks.

    Raises:
        ConfigError: If one is no check.

    Example:
        >>> names_of("only", "batch", ["batch", "order"])
        ('batch',)
    """
    listed = [names] if isinstance(names, str) or not isinstance(names, Iterable) else [*names]
    for name in listed:
        if not (isinstance(name, str) and name in known):
            near = difflib.get_close_matches(str(name).lower(), known, n=1, cutoff=0.4)
            raise ConfigError(
                f"{option} names no check",
                got=shown(name),
                expected=f"some of {', '.join(known)}",
                hint=near[0] if near else None,
            )
    return tuple(listed)

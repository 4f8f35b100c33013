"""What TorchScript does otherwise: names, copies and hooks."""

import copy
from collections.abc import Callable
from typing import Any

WITHIN = "it runs within TorchScript, where nothing can be listened to"


def is_scripted(module: Any) -> bool:
    """Return whether a module was scripted, traced, or loaded by `torch.jit.load`."""
    import torch

    return isinstance(module, torch.jit.ScriptModule)


def class_name(module: Any) -> str:
    """Return the name of a module's class; of a script, of the class that it was made of."""
    original = getattr(module, "original_name", None) if is_scripted(module) else None
    return original if isinstance(original, str) else type(module).__name__


def deep_copy(model: Any) -> Any:
    """Return a deep copy of a module or a function.

    A script is copied without gradients: its copied parameters would lead back to the original's.
    """
    import torch

    modules = getattr(model, "modules", tuple)
    if not any(map(is_scripted, modules())):
        return copy.deepcopy(model)
    with torch.no_grad():
        copied = copy.deepcopy(model)
    for ours, theirs in zip(copied.parameters(), model.parameters(), strict=True):
        ours.requires_grad_(theirs.requires_grad)
    return copied


def argument_names(function: Any) -> list[str] | None:
    """Return the names of the arguments of a compiled function; None for any other.

    Compiled functions carry a schema in the place of a signature.
    """
    schema = getattr(function, "schema", None)
    found = getattr(schema, "arguments", None)
    return None if found is None else [str(argument.name) for argument in found]


def hook_before(module: Any, note: Callable[..., Any]) -> Any:
    """Register a hook `(module, args, kwargs)` that runs before a module, and return its handle.

    TorchScript refuses its own `register_forward_pre_hook`, since nothing would fire it within a
    script; a scripted module that is called from Python runs those of its base class.
    """
    import torch

    return torch.nn.Module.register_forward_pre_hook(module, note, with_kwargs=True)


def hook_after(module: Any, note: Callable[..., Any]) -> Any:
    """Register a hook `(module, args, output)` that runs after a module, and return its handle."""
    import torch

    return torch.nn.Module.register_forward_hook(module, note)

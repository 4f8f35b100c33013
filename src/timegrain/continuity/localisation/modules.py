"""The modules that run when a model does."""

from typing import Any

from timegrain.continuity.model.subject import Sample, Subject
from timegrain.core.errors import ModelError


def modules_of(subject: Subject, sample: Sample) -> dict[str, Any]:
    """Return the modules of a model by their names in it, the model's own the empty one.

    The model is run, and the module that is called first holds them: so a function that calls one
    is followed too.

    Args:
        subject: The model.
        sample: An input, `(1, time, channel)`.

    Raises:
        ModelError: If no module runs, or one outside the first.
    """
    from torch.nn.modules.module import register_module_forward_pre_hook

    called: list[Any] = []

    def note(module: Any, _args: Any) -> None:
        if not any(module is one for one in called):
            called.append(module)

    handle = register_module_forward_pre_hook(note)
    try:
        subject.call(sample, 1.0)
    finally:
        handle.remove()
    if not called:
        raise ModelError(
            f"{subject.name} runs no module that could be listened to",
            expected="a torch.nn.Module, not compiled as a whole, or a registered name",
            hint="model_continuity(), which measures its output alone",
        )
    named = dict(called[0].named_modules())
    others = [m for m in called if not any(m is one for one in named.values())]
    if others:
        raise ModelError(
            f"{subject.name} runs several modules that are not part of one",
            got=", ".join(type(m).__name__ for m in (called[0], *others)),
            expected="one torch.nn.Module that calls them",
        )
    return named

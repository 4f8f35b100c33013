"""The form that the states of a layer have, to tell one that is not its own."""

from typing import NamedTuple, TypeAlias

from torch import Tensor


class Part(NamedTuple):
    """One tensor of a state.

    Args:
        shape: Behind the batch; -1 for any size.
        complex: Whether it holds complex numbers.
    """

    shape: tuple[int, ...]
    complex: bool = False


# One tensor, or parts together: a named tuple's form is one, too.
Form: TypeAlias = Part | tuple["Form", ...]


def fits(state: object, form: Form, batch: int) -> bool:
    """Return whether a state has a form; no number is looked at.

    Args:
        state: What a user passed.
        form: Of a layer's states.
        batch: Sequences.

    Example:
        >>> import torch
        >>> fits((torch.zeros(2, 4), torch.zeros(2)), (Part((4,)), Part(())), 2)
        True
        >>> fits(torch.zeros(2, 4), Part((4,), complex=True), 2)
        False
    """
    if isinstance(form, Part):
        if not isinstance(state, Tensor) or state.is_complex() != form.complex:
            return False
        shape, wanted = state.shape, (batch, *form.shape)
        return shape == wanted or (
            len(shape) == len(wanted)
            and shape[0] == batch
            and all(want in (-1, have) for want, have in zip(form.shape, shape[1:], strict=True))
        )
    same = isinstance(state, list | tuple if type(form) is tuple else type(form))
    return (
        same
        and len(state) == len(form)  # type: ignore[arg-type]
        and all(fits(s, f, batch) for s, f in zip(state, form, strict=True))  # type: ignore[call-overload]
    )


def written(form: object) -> str:
    """Return a form, or the form of what a user passed, in words.

    Example:
        >>> import torch
        >>> written((Part((4, -1)), Part((8,), complex=True)))
        '((batch, 4, any), complex (batch, 8))'
        >>> written([torch.zeros(2, 4), "rest"])
        '((2, 4), str)'
    """
    if isinstance(form, Part):
        axes = ", ".join(["batch", *("any" if n < 0 else str(n) for n in form.shape)])
        return f"{'complex ' * form.complex}({axes}{',' * (not form.shape)})"
    if isinstance(form, Tensor):
        return f"{'complex ' * form.is_complex()}{tuple(form.shape)}"
    if isinstance(form, list | tuple):
        name = type(form).__name__ if hasattr(form, "_fields") else ""
        return f"{name}({', '.join(written(part) for part in form[:8])}{', ...' * (len(form) > 8)})"
    return type(form).__name__

"""Checks of tensors at a kernel's door: shapes by named axes, kinds, devices, one dtype."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from timegrain.core.errors import ConfigError, LayoutError

Named = Mapping[str, tuple[Tensor | None, str]]
"""Argument name to the tensor (None where absent) and its axes, such as `"b l d"`."""


def check_axes(operation: str, arguments: Named, *, time_axes: str = "b l d") -> dict[str, int]:
    """Return the size of every axis, bound in the order of the arguments.

    Args:
        operation: The function's name, for the error's text.
        arguments: The tensors and their axes; the first one that has an axis sets its size.
        time_axes: The axes of a sequence, whose transposition by mistake is recognised.

    Raises:
        ConfigError: If an argument is not a tensor, or lies on another device than the first.
        LayoutError: If the axes do not fit, or one is empty.

    Example:
        >>> import torch
        >>> check_axes("f", {"u": (torch.zeros(2, 9, 3), "b l d"), "D": (torch.zeros(3), "d")})
        {'b': 2, 'l': 9, 'd': 3}
    """
    sizes: dict[str, int] = {}
    owners: dict[str, str] = {}
    first: Tensor | None = None
    for name, (tensor, axes) in arguments.items():
        if tensor is None:
            continue
        if not isinstance(tensor, Tensor):
            raise ConfigError(
                f"{operation}() needs a torch tensor for {name}",
                got=type(tensor).__name__,
                hint=f"torch.as_tensor({name})",
            )
        first = tensor if first is None else first
        if tensor.device != first.device:
            raise ConfigError(
                f"{operation}() needs all tensors on one device",
                got=f"{name} on {tensor.device}",
                expected=first.device,
                hint=f"{name}.to({str(first.device)!r})",
            )
        _bind(operation, name, tensor, axes.split(), sizes, owners, time_axes.split())
    return sizes


def _bind(
    operation: str,
    name: str,
    tensor: Tensor,
    axes: list[str],
    sizes: dict[str, int],
    owners: dict[str, str],
    time_axes: list[str],
) -> None:
    shape = tuple(tensor.shape)
    wanted = ", ".join(f"{a}={sizes[a]} of {owners[a]}" if a in sizes else a for a in axes)
    if len(shape) != len(axes):
        raise LayoutError(
            f"{operation}() needs {len(axes)} axes for {name}",
            got=f"{name} of shape {shape}",
            expected=f"({wanted})",
        )
    if 0 in shape:
        raise LayoutError(
            f"{operation}() needs at least one element along every axis of {name}",
            got=f"{name} of shape {shape}",
            expected=f"({wanted})",
        )
    if any(sizes.get(a, n) != n for a, n in zip(axes, shape, strict=True)):
        raise LayoutError(
            f"{operation}() cannot fit {name} to the other arguments",
            got=f"{name} of shape {shape}",
            expected=f"({wanted})",
            hint=_transposition(name, shape, axes, sizes, owners, time_axes),
        )
    for axis, size in zip(axes, shape, strict=True):
        sizes.setdefault(axis, size)
        owners.setdefault(axis, name)


def _transposition(
    name: str,
    shape: tuple[int, ...],
    axes: list[str],
    sizes: dict[str, int],
    owners: dict[str, str],
    time_axes: list[str],
) -> str | None:
    """Say which tensor was probably given with its last two axes the other way round."""
    order = f"the order here is ({', '.join(time_axes)}), Mamba's own is (b, d, l)"
    if len(axes) > 1:
        swapped = (*shape[:-2], shape[-1], shape[-2])
        if all(sizes.get(a, n) == n for a, n in zip(axes, swapped, strict=True)):
            return f"{name}.transpose(-1, -2); {order}" if "l" in axes else f"{name}.mT"
    wrong = [a for a, n in zip(axes, shape, strict=True) if sizes.get(a, n) != n]
    if wrong == ["d"] and shape[axes.index("d")] == sizes.get("l"):
        return f"{owners['d']}.transpose(-1, -2); {order}"
    return None


def compute_dtype(operation: str, tensors: Mapping[str, Tensor | None]) -> torch.dtype:
    """Return the real dtype to compute in: the widest one given, float32 for half precision.

    Raises:
        ConfigError: If an argument does not hold real floating-point numbers.

    Example:
        >>> import torch
        >>> compute_dtype("f", {"u": torch.zeros(1, dtype=torch.bfloat16)})
        torch.float32
    """
    widest = torch.float32
    for name, tensor in tensors.items():
        if tensor is None:
            continue
        if not tensor.is_floating_point():
            raise ConfigError(
                f"{operation}() needs real floating-point numbers for {name}",
                got=tensor.dtype,
                hint=f"{name}.to(torch.get_default_dtype())" if not tensor.is_complex() else None,
            )
        widest = torch.promote_types(widest, tensor.dtype)
    return widest


def cast(tensors: Sequence[Tensor | None], dtype: torch.dtype) -> list[Tensor | None]:
    """Return the tensors in one dtype; gradients flow back in the dtype that was passed."""
    return [None if t is None else t.to(dtype) for t in tensors]

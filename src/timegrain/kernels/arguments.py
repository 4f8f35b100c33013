"""Checks of tensors at a kernel's door: shapes by named axes, kinds, devices, one dtype."""

from collections.abc import Collection, Mapping, Sequence

import torch
from torch import Tensor

from timegrain.core.errors import ConfigError, LayoutError
from timegrain.core.shown import shown

Named = Mapping[str, tuple[Tensor | None, str]]
"""Argument name to the tensor (None where absent) and its axes, such as `"b l d"`."""
LONGEST = 2**31 - 1
"""Samples that a kernel may be asked for."""
FLOATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)


def check_axes(
    operation: str,
    arguments: Named,
    *,
    optional: Collection[str] = (),
    time_axes: str = "b l d",
) -> dict[str, int]:
    """Return the size of every axis, bound in the order of the arguments.

    Args:
        operation: The function's name, for the error's text.
        arguments: The tensors and their axes; the first one that has an axis sets its size.
        optional: Arguments that may be None.
        time_axes: The axes of a sequence, whose transposition by mistake is recognised.

    Raises:
        ConfigError: If an argument is not a dense tensor, or lies on another device than the first.
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
        if tensor is None and name in optional:
            continue
        tensor = _dense(operation, name, tensor)
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


def _dense(operation: str, name: str, tensor: object) -> Tensor:
    if not isinstance(tensor, Tensor):
        raise ConfigError(
            f"{operation}() needs a torch tensor for {name}",
            got=type(tensor).__name__,
            hint=None if tensor is None else f"torch.as_tensor({name})",
        )
    if tensor.layout != torch.strided or tensor.is_nested:
        raise ConfigError(
            f"{operation}() needs a dense tensor for {name}",
            got="a nested tensor" if tensor.is_nested else tensor.layout,
            hint=f"{name}.to_padded_tensor(0.0)" if tensor.is_nested else f"{name}.to_dense()",
        )
    return tensor


def check_flag(operation: str, name: str, value: object) -> bool:
    """Return `value` if it is True or False.

    Raises:
        ConfigError: If it is something else, such as a word.
    """
    if not isinstance(value, bool):
        raise ConfigError(f"{operation}() needs True or False for {name}", got=repr(value))
    return value


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
    if len(shape) == len(axes) and 0 not in shape and _fits(axes, shape, sizes):
        for axis, size in zip(axes, shape, strict=True):
            sizes.setdefault(axis, size)
            owners.setdefault(axis, name)
        return
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
    raise LayoutError(
        f"{operation}() cannot fit {name} to the other arguments",
        got=f"{name} of shape {shape}",
        expected=f"({wanted})",
        hint=_transposition(name, shape, axes, sizes, owners, time_axes),
    )


def _fits(axes: list[str], shape: tuple[int, ...], sizes: dict[str, int]) -> bool:
    return all(sizes.get(a, n) == n for a, n in zip(axes, shape, strict=True))


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
        if tensor.dtype not in FLOATS:
            raise ConfigError(
                f"{operation}() needs real floating-point numbers for {name}",
                got=tensor.dtype,
                expected=f"one of {', '.join(map(str, FLOATS))}",
                hint=f"{name}.to(torch.get_default_dtype())" if not tensor.is_complex() else None,
            )
        widest = torch.promote_types(widest, tensor.dtype)
    return widest


def cast(tensors: Sequence[Tensor | None], dtype: torch.dtype) -> list[Tensor | None]:
    """Return the tensors in one dtype; gradients flow back in the dtype that was passed."""
    return [t if t is None or t.dtype == dtype else t.to(dtype) for t in tensors]


def check_complex(operation: str, tensors: Mapping[str, Tensor | None]) -> None:
    """Check that tensors are complex; those absent are left out.

    Raises:
        ConfigError: If one is not complex64 or complex128.
    """
    for name, tensor in tensors.items():
        if tensor is not None and tensor.dtype not in (torch.complex64, torch.complex128):
            raise ConfigError(
                f"{operation}() needs complex numbers for {name}",
                got=tensor.dtype,
                expected="complex64 or complex128",
                hint=f"{name}.to(torch.complex64)",
            )


def check_length(operation: str, length: object) -> None:
    """Check that a length is a whole number from 1 to `LONGEST`.

    Raises:
        ConfigError: If it is not.
    """
    if isinstance(length, bool) or not isinstance(length, int) or not 1 <= length <= LONGEST:
        raise ConfigError(
            f"{operation}() needs a length",
            got=shown(length),
            expected=f"an integer in 1..{LONGEST}",
        )


def complex_dtypes(
    operation: str, tensors: Mapping[str, Tensor | None], modes: Collection[str]
) -> tuple[torch.dtype, torch.dtype]:
    """Return the real and the complex dtype to compute in, as `compute_dtype` chooses.

    Args:
        operation: The function's name, for the error's text.
        tensors: The tensors; None where absent.
        modes: Names of those that must be complex.

    Raises:
        ConfigError: If one of them is not complex, or another does not hold real numbers.

    Example:
        >>> complex_dtypes("f", {"u": torch.zeros(1), "z": torch.zeros(1) + 0j}, ("z",))
        (torch.float32, torch.complex64)
    """
    check_complex(operation, {name: tensors[name] for name in modes})
    real = compute_dtype(operation, {n: t for n, t in tensors.items() if n not in modes})
    if any(t is not None and t.dtype == torch.complex128 for n, t in tensors.items() if n in modes):
        real = torch.float64
    return real, torch.promote_types(real, torch.complex64)


def back_to_half(y: Tensor, given: Tensor) -> Tensor:
    """Return y in the dtype of `given` if that is of half precision, else y as it is."""
    return y.to(given.dtype) if given.dtype.itemsize == 2 else y

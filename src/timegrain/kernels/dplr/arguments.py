"""The check that weights are complex, shared by the doors."""

from collections.abc import Mapping

import torch
from torch import Tensor

from timegrain.core.errors import ConfigError


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

"""The same bits again: deterministic operations for as long as a training lasts."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from timegrain.core.errors import ModelError


@contextmanager
def deterministic_operations(wanted: bool) -> Iterator[None]:
    """Let torch use deterministic operations alone inside, and put its settings back afterwards.

    Args:
        wanted: False changes nothing.

    Raises:
        ModelError: If an operation has no deterministic implementation on the device.

    Example:
        >>> with deterministic_operations(True):
        ...     torch.are_deterministic_algorithms_enabled()
        True
        >>> torch.are_deterministic_algorithms_enabled()
        False
    """
    if not wanted:
        yield
        return
    before = torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    benchmark = torch.backends.cudnn.benchmark
    torch.use_deterministic_algorithms(True)
    torch.backends.cudnn.benchmark = False  # it times algorithms and takes the fastest of the day
    try:
        yield
    except RuntimeError as error:
        if "deterministic" not in str(error).lower():
            raise
        raise ModelError(
            "deterministic=True: an operation of the network cannot be repeated bit for bit",
            got=str(error).splitlines()[0],
            hint="deterministic=False, or on CUDA the environment variable "
            "CUBLAS_WORKSPACE_CONFIG=:4096:8",
        ) from error
    finally:
        torch.use_deterministic_algorithms(before, warn_only=warn_only)
        torch.backends.cudnn.benchmark = benchmark


def determinism_note() -> str:
    """Return what deterministic operations promise, and for how many threads."""
    threads = torch.get_num_threads()
    return (
        f"deterministic: torch's deterministic operations alone, on {threads} "
        f"thread{'' if threads == 1 else 's'}; the same seed, thread count, machine and versions "
        "give the same bits, other thread counts may round sums differently."
    )

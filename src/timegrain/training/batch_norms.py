"""Batch norms, whose statistics depend on what goes through a network together."""

from collections.abc import Iterator

from torch import Tensor, nn

_KINDS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm)


def batch_norms(model: nn.Module) -> list[nn.Module]:
    """Return the batch norms of a network, ours and torch's.

    Args:
        model: The network.

    Example:
        >>> len(batch_norms(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))))
        1
    """
    return [module for module in model.modules() if isinstance(module, _KINDS)]


def running_statistics(model: nn.Module) -> Iterator[Tensor]:
    """Iterate the statistics that the batch norms of a network keep for eval mode.

    Args:
        model: The network.
    """
    for module in batch_norms(model):
        yield from module.buffers(recurse=False)

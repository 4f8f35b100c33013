"""Examples of one length as a batch, as torch's own collate function makes it."""

from typing import Any

from torch.utils.data import default_collate

from timegrain.core.errors import LayoutError


def stack(examples: list[Any]) -> Any:
    """Return a batch of examples.

    Args:
        examples: Such as `(x, y)`, of one shape.

    Raises:
        LayoutError: If they cannot be stacked, such as those of several lengths.

    Example:
        >>> import torch
        >>> [tuple(part.shape) for part in stack([(torch.zeros(4, 1), 0)] * 3)]
        [(3, 4, 1), (3,)]
    """
    try:
        return default_collate(examples)
    except (RuntimeError, TypeError) as error:
        raise LayoutError(
            "these examples cannot be stacked to a batch",
            got=str(error).partition("\n")[0],
            expected="tensors of one shape in each",
            hint="collate= with a function that pads them and gives their lengths, "
            '{"x": ..., "lengths": ..., "y": ...}',
        ) from error

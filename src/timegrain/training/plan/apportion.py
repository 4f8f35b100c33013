"""Whole epochs from shares."""

from collections.abc import Sequence

from timegrain.core.errors import ConfigError
from timegrain.models.options import whole as whole_number
from timegrain.training.stages import MOST


def apportion(weights: Sequence[float], total: int) -> tuple[int, ...]:
    """Return whole numbers that sum to `total` and are nearest to the weights' shares of it.

    Each is at least 1; what rounding leaves goes where it is missed most, first ones first.

    Args:
        weights: Positive.
        total: At least as many as there are weights, at most `MOST`.

    Raises:
        ConfigError: If `total` is not a whole number, or there are fewer epochs than stages.

    Example:
        >>> apportion([80, 60, 1], 141), apportion([1, 1, 1], 8), apportion([98, 1, 1], 10)
        ((80, 60, 1), (3, 3, 2), (8, 1, 1))
    """
    whole_number("epochs", total, least=1, most=MOST)
    if total < len(weights):
        raise ConfigError(
            "there are fewer epochs than stages",
            got=f"{total} for {len(weights)} stages",
            expected=f"{len(weights)} or more",
            hint="more epochs, or fewer stages",
        )
    whole = sum(weights)
    quotas = [total * w / whole for w in weights]
    # a quota that is whole but for a rounding stays whole
    counts = [max(1, int(q + 1e-9)) for q in quotas]
    while sum(counts) != total:
        lack = [q - c for q, c in zip(quotas, counts, strict=True)]
        if sum(counts) < total:
            counts[lack.index(max(lack))] += 1
        else:
            able = [x for x, c in zip(lack, counts, strict=True) if c > 1]
            counts[lack.index(min(able))] -= 1
    return tuple(counts)

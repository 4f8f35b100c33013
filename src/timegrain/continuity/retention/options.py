"""How a retention is measured, checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from timegrain.core.errors import ConfigError

Decimator = Literal["phase", "fir"]
MAX_STRIDE = 2**20


@dataclass(frozen=True, kw_only=True)
class RetentionOptions:
    """Numbers of a measurement.

    Args:
        strides: Different whole numbers >= 2, kept in ascending order.
        decimator: `"phase"` or `"fir"`.
        n_folds: At least 2.
        repeats: At least 1.
        replicates: At least 99.
        seed: `0 <= seed < 2^64`.
        max_cases: At least 20.
        n_features: Even.

    Raises:
        ConfigError: If one is outside its domain.
    """

    strides: Sequence[int]
    decimator: Decimator
    n_folds: int
    repeats: int
    replicates: int
    seed: int
    max_cases: int
    n_features: int = 2000

    def __post_init__(self) -> None:
        if self.decimator not in ("phase", "fir"):
            raise ConfigError(
                "unknown decimator", got=repr(self.decimator), expected="'phase' or 'fir'"
            )
        given = tuple(self.strides)
        strides = sorted({k for k in given if k != 1} if all(map(_whole, given)) else ())
        if not strides or strides[0] < 2 or strides[-1] >= MAX_STRIDE:
            raise ConfigError(
                "strides must be whole numbers", got=given, expected="each >= 2, such as (2, 4, 8)"
            )
        object.__setattr__(self, "strides", tuple(int(k) for k in strides))
        least = {"n_folds": 2, "repeats": 1, "replicates": 99, "seed": 0, "max_cases": 20}
        for word, low in least.items():
            value = getattr(self, word)
            if not _whole(value) or value < low or value >= 2**64:
                raise ConfigError(
                    f"{word} is outside its domain",
                    got=repr(value),
                    expected=f"a whole number, {low} or more",
                )


def _whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)

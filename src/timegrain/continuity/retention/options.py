"""How a retention is measured, checked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeGuard

import numpy as np

from timegrain.core.errors import ConfigError

Decimator = Literal["phase", "fir"]
Phase = Literal["first", "drawn"]
MAX_STRIDE = 2**20


@dataclass(frozen=True, kw_only=True)
class RetentionOptions:
    """Numbers of a measurement.

    Args:
        strides: Different whole numbers >= 2, kept in ascending order.
        decimator: `"phase"` or `"fir"`.
        phase: `"first"` or `"drawn"`.
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
    phase: Phase = "first"
    n_features: int = 2000

    def __post_init__(self) -> None:
        if self.decimator not in ("phase", "fir"):
            raise ConfigError(
                "unknown decimator", got=repr(self.decimator), expected="'phase' or 'fir'"
            )
        if self.phase not in ("first", "drawn"):
            raise ConfigError("unknown phase", got=repr(self.phase), expected="'first' or 'drawn'")
        given = as_tuple(self.strides)
        strides = sorted({int(k) for k in given if _whole(k) and k != 1})
        if (
            not all(map(_whole, given))
            or not strides
            or strides[0] < 2
            or strides[-1] >= MAX_STRIDE
        ):
            raise ConfigError(
                "strides must be whole numbers", got=given, expected="each >= 2, such as (2, 4, 8)"
            )
        object.__setattr__(self, "strides", tuple(strides))
        least = {"n_folds": 2, "repeats": 1, "replicates": 99, "seed": 0, "max_cases": 20}
        for word, low in least.items():
            value = getattr(self, word)
            if not _whole(value) or value < low or value >= 2**64:
                raise ConfigError(
                    f"{word} is outside its domain",
                    got=repr(value),
                    expected=f"a whole number, {low} or more",
                )


def as_tuple(strides: object) -> tuple[object, ...]:
    """Return strides in a tuple.

    Raises:
        ConfigError: If they are none.
    """
    if isinstance(strides, str) or not isinstance(strides, Iterable):
        raise ConfigError(
            "strides must be whole numbers", got=repr(strides), expected="several, such as (2, 4)"
        )
    return tuple(strides)


def _whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)

"""Options of `task_continuity`, checked."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from timegrain.core.errors import ConfigError, GridError


@dataclass(frozen=True, kw_only=True)
class TaskOptions:
    """What is measured and how.

    Args:
        dt: Step between samples, positive and finite.
        strides: Whole numbers >= 2, no two alike; kept in ascending order, 2 added.
        detrend: `"linear"` or None.
        tol: In (0, 1).
        seed: `0 <= seed < 2^64`.
        replicates: At least 99.

    Raises:
        ConfigError: If an option is outside its domain.
        GridError: If `dt` is.
    """

    dt: float
    strides: tuple[int, ...]
    detrend: Literal["linear"] | None
    tol: float
    seed: int
    replicates: int

    def __post_init__(self) -> None:
        if not _is_number(self.dt) or not (np.isfinite(self.dt) and self.dt > 0):
            raise GridError("a step must be positive", got=f"dt={self.dt!r}", expected="dt > 0")
        whole = all(_is_whole(k) and k >= 2 for k in self.strides)
        if not self.strides or not whole or len(set(self.strides)) < len(self.strides):
            raise ConfigError(
                "strides must be different whole numbers",
                got=self.strides,
                expected="each >= 2, such as (2, 4, 8)",
            )
        object.__setattr__(self, "strides", tuple(sorted({2, *(int(k) for k in self.strides)})))
        if self.detrend not in (None, "linear"):
            raise ConfigError(
                "unknown detrend", got=repr(self.detrend), expected="None or 'linear'"
            )
        if not _is_number(self.tol) or not 0 < self.tol < 1:
            raise ConfigError("a tolerance is a share", got=self.tol, expected="0 < tol < 1")
        if not _is_whole(self.seed) or not 0 <= self.seed < 2**64:
            raise ConfigError("not a seed", got=repr(self.seed), expected="0 <= seed < 2**64")
        if not _is_whole(self.replicates) or self.replicates < 99:
            raise ConfigError(
                "too few replicates for a 95 % interval", got=self.replicates, expected=">= 99"
            )


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, float | int | np.number) and not isinstance(value, bool)

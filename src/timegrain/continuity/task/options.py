"""Options of `task_continuity`, checked."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from timegrain.continuity.task.arrays import Kind
from timegrain.continuity.task.cut import check_hop, check_window
from timegrain.core.errors import ConfigError, GridError

MAX_STRIDE = 2**53


@dataclass(frozen=True, kw_only=True)
class TaskOptions:
    """What is measured and how.

    Args:
        dt: Step between samples, positive; finite also at the longest stride.
        strides: Whole numbers >= 2, no two alike; kept as a tuple in ascending order, 2 added.
        detrend: `"linear"`, for real data, or None.
        tol: In (0, 1).
        seed: `0 <= seed < 2^64`.
        replicates: At least 99.
        window: Samples a piece, at least 3; None for whole sequences.
        hop: Samples from one piece to the next; None for no overlap.
        kind: `"real"` or `"tokens"`.
        unit: Time unit of `dt`.
        name: What the data are called.

    Raises:
        ConfigError: If an option is outside its domain.
        GridError: If `dt` is.
    """

    dt: float
    strides: Sequence[int]
    detrend: Literal["linear"] | None
    tol: float
    seed: int
    replicates: int
    window: int | None
    kind: Kind
    unit: str
    name: str
    hop: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in ("real", "tokens"):
            raise ConfigError(
                "unknown kind of data", got=repr(self.kind), expected="'real' or 'tokens'"
            )
        self._check_detrend()
        strides = _whole_strides(self.strides)
        if not _is_number(self.tol) or not 0 < self.tol < 1:
            raise ConfigError("a tolerance is a share", got=repr(self.tol), expected="0 < tol < 1")
        if not _is_whole(self.seed) or not 0 <= self.seed < 2**64:
            raise ConfigError("not a seed", got=repr(self.seed), expected="0 <= seed < 2**64")
        if not _is_whole(self.replicates) or self.replicates < 99:
            raise ConfigError(
                "too few replicates for a 95 % interval", got=self.replicates, expected=">= 99"
            )
        for word in ("unit", "name"):
            if not isinstance(getattr(self, word), str) or not getattr(self, word):
                raise ConfigError(f"{word}= takes a word", got=repr(getattr(self, word)))
        window = None if self.window is None else check_window(self.window)
        checked: dict[str, object] = {
            "dt": check_step(self.dt, strides),
            "strides": strides,
            "tol": float(self.tol),
            "seed": int(self.seed),
            "replicates": int(self.replicates),
            "window": window,
            "hop": check_hop(self.hop, window),
        }
        for field, value in checked.items():
            object.__setattr__(self, field, value)

    def _check_detrend(self) -> None:
        if self.detrend not in (None, "linear"):
            raise ConfigError(
                "unknown detrend", got=repr(self.detrend), expected="None or 'linear'"
            )
        if self.detrend and self.kind == "tokens":
            raise ConfigError(
                "symbols have no line that could be removed",
                got=f"detrend={self.detrend!r} for tokens",
                hint="leaving detrend out",
            )


def check_step(dt: object, strides: tuple[int, ...]) -> float:
    """Return a step as a float, unless it or its longest multiple is no positive finite number.

    Args:
        dt: What the user gave.
        strides: Whole numbers.

    Raises:
        GridError: If it is no positive number.
        ConfigError: If a stride makes it overflow.
    """
    step = _float(dt)
    if not (math.isfinite(step) and step > 0):
        shown = repr(dt) if len(repr(dt)) <= 40 else f"{repr(dt)[:37]}..."
        raise GridError("a step must be positive", got=f"dt={shown}", expected="finite dt > 0")
    if not math.isfinite(step * max(strides)):
        raise ConfigError(
            "the step is too long for the strides: their product is more than a float64 can hold",
            got=f"dt={step:g}, stride {max(strides)}",
            hint="a longer time unit",
        )
    return step


def _whole_strides(strides: object) -> tuple[int, ...]:
    found = tuple(strides) if isinstance(strides, Iterable) else ()
    whole = all(_is_whole(k) and 2 <= k < MAX_STRIDE for k in found)
    if not found or not whole or len(set(found)) < len(found):
        raise ConfigError(
            "strides must be different whole numbers",
            got=repr(strides if not isinstance(strides, Iterable) else found),
            expected="each >= 2, such as (2, 4, 8)",
        )
    return tuple(sorted({2, *(int(k) for k in found)}))


def _float(value: object) -> float:
    if not _is_number(value):
        return math.nan
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return math.inf


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return _is_whole(value) or isinstance(value, float | np.floating)

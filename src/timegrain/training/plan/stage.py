"""One stage of a plan."""

import math
from dataclasses import dataclass

import numpy as np

from timegrain.core.errors import ConfigError
from timegrain.training.decimators import check_decimator
from timegrain.training.trainer.numbers import plain_number


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A share of a training on every `stride`-th sample.

    Args:
        stride: Keep one sample in so many; 1 is full resolution.
        share: Of the training, positive; the shares of a plan need not sum to 1.
        tau: What the network is told; None tells it the stride.
        decimator: `"phase"`, `"mean"` or `"fir"`, as `decimate` has them.

    Raises:
        ConfigError: If one is outside its domain.

    Example:
        >>> Stage(stride=4, share=0.5).told
        4.0
    """

    stride: int
    share: float
    tau: float | None = None
    decimator: str = "phase"

    def __post_init__(self) -> None:
        given: object = self.stride
        if isinstance(given, np.integer):
            object.__setattr__(self, "stride", int(given))
        if isinstance(self.stride, bool) or not isinstance(self.stride, int) or self.stride < 1:
            raise ConfigError(
                "a stage cannot have this stride",
                got=repr(self.stride),
                expected="a whole number, 1 or more",
            )
        for name in ("share", "tau"):
            value = plain_number(getattr(self, name))
            if (name == "share" or value is not None) and not _positive(value):
                raise ConfigError(
                    f"a stage cannot have this {name}", got=repr(value), expected="a number above 0"
                )
            object.__setattr__(self, name, value)
        check_decimator(self.decimator)

    @property
    def told(self) -> float:
        """The `tau` that the network gets."""
        return float(self.stride if self.tau is None else self.tau)


def _positive(value: object) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 < value < math.inf  # type: ignore[operator]

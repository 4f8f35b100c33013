"""What the study can be told."""

from dataclasses import dataclass
from math import frexp, isfinite

from timegrain.core.errors import ConfigError
from timegrain.core.shown import shown

MOST_SYSTEMS = 5000
FINEST_TAU = 2.0**-10  # a quarter as fine as the finest grid of the reference
SETTLED = 0.3  # an order this near 1 has settled there
COINCIDE = 1e-9  # curves whose cells differ by no more are one curve


@dataclass(frozen=True, kw_only=True)
class PaperContinuitySettings:
    """Everything the study can be told.

    Args:
        systems: Random systems of each family, 1 to 5,000.
        amplitudes: Factors of the input, at least two, ascending; half octaves from 1 to 32.
        taus: Steps as a share of the interval, at least two, ascending; powers of two from 2^-10.
        seed: Of weights and inputs, and of the bootstrap.

    Raises:
        ConfigError: If a value is outside its domain.

    Example:
        >>> settings = PaperContinuitySettings()
        >>> len(settings.amplitudes), settings.taus[0] == 2**-10, settings.steps[-1]
        (11, True, 4)
    """

    systems: int = 20
    amplitudes: tuple[float, ...] = tuple(2.0 ** (i / 2) for i in range(11))
    taus: tuple[float, ...] = tuple(2.0**-m for m in range(10, 1, -1))
    seed: int = 0

    def __post_init__(self) -> None:
        if not _is_whole(self.systems) or not 1 <= self.systems <= MOST_SYSTEMS:
            raise ConfigError(
                "the study takes a number of systems",
                got=f"systems={shown(self.systems)}",
                expected=f"1 to {MOST_SYSTEMS:,}",
            )
        if not _is_whole(self.seed) or not 0 <= self.seed < 2**32:
            raise ConfigError(
                "a seed is a whole number", got=shown(self.seed), expected="0 to 2^32 - 1"
            )
        _check(self.amplitudes, "amplitudes", "such as 1, 2, 4")
        _check(self.taus, "taus", "such as 1/8, 1/4")
        wrong = [t for t in self.taus if not FINEST_TAU <= t <= 1 or frexp(t)[0] != 0.5]
        if wrong:
            raise ConfigError(
                "a tau is a power of two, so that the grids share their times",
                got=shown(wrong[0]),
                expected="2^-10 to 1",
            )

    @property
    def steps(self) -> tuple[int, ...]:
        """Steps on the interval for each tau."""
        return tuple(round(1 / tau) for tau in self.taus)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check(values: tuple[float, ...], name: str, example: str) -> None:
    numbers = all(
        isinstance(v, int | float) and not isinstance(v, bool) and isfinite(v) and v > 0
        for v in values
    )
    if not numbers or len(values) < 2 or list(values) != sorted(set(values)):
        raise ConfigError(
            f"{name} are at least two positive numbers, ascending",
            got=shown(values),
            expected=example,
        )

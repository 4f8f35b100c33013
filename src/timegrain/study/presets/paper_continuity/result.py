"""The result of the study `paper-continuity`."""

from dataclasses import asdict, dataclass
from typing import ClassVar

from timegrain.core.errors import ConfigError
from timegrain.core.references import PAPER
from timegrain.core.result import Result
from timegrain.study.presets.paper_continuity.words import lines


@dataclass(frozen=True, kw_only=True)
class ErrorCell:
    """The error of one kind of system, at one amplitude and one step.

    Args:
        family: `"s4"` or `"s6"`.
        discretization: `"zoh"` or `"bilinear"`.
        norm: `"sup"` or `"rms"`, over the times of the coarse grid.
        amplitude: Factor of the input.
        tau: Step as a share of the interval.
        error: Median over systems, relative to the output; None where every output underflows.
        low: Lower end of the median's 95 % interval; None for fewer than six systems.
        high: Upper end.
        n_dropped: Systems left out because their output underflows to zero.
    """

    family: str
    discretization: str
    norm: str
    amplitude: float
    tau: float
    error: float | None
    low: float | None
    high: float | None
    n_dropped: int


@dataclass(frozen=True, kw_only=True)
class OrderCell:
    """The order at which one curve of errors ends.

    Args:
        family: As in `ErrorCell`.
        discretization: As there.
        norm: As there.
        amplitude: As there.
        order: Slope of the medians between the two finest steps.
        reference: How far the reference moves when it is extrapolated from steps twice as large,
            relative to itself: the median over systems, about three times its own error.
    """

    family: str
    discretization: str
    norm: str
    amplitude: float
    order: float | None
    reference: float | None


@dataclass(frozen=True, kw_only=True)
class GrowthCell:
    """What the amplitude does to the error.

    Args:
        family: As in `ErrorCell`.
        discretization: As there.
        norm: As there.
        growth: Median error at the largest amplitude over that at the smallest, at the finest step:
            how often larger the constant is.
        low: Lower end of its 95 % interval, by a bootstrap over systems; None for fewer than six.
        high: Upper end.
        spread: Greatest relative distance of any cell from the smallest amplitude's at its step: 0
            where the curves coincide.
    """

    family: str
    discretization: str
    norm: str
    growth: float | None
    low: float | None
    high: float | None
    spread: float | None


@dataclass(frozen=True, kw_only=True, repr=False)
class PaperContinuity(Result):
    """Errors of random systems against the step, the amplitude and the discretisation.

    What is measured are the systems as drawn, none is trained; and a family converges or does not
    by its discretisation, at whatever constant.

    Args:
        n_systems: Systems drawn of each family.
        n_states: States of each.
        errors: One cell a family, discretisation, norm, amplitude and tau.
        orders: One cell a curve.
        growths: One cell a family, discretisation and norm.
    """

    kind: ClassVar[str] = "paper-continuity"

    n_systems: int
    n_states: int
    errors: tuple[ErrorCell, ...]
    orders: tuple[OrderCell, ...]
    growths: tuple[GrowthCell, ...]

    @property
    def amplitudes(self) -> tuple[float, ...]:
        """The amplitudes, ascending."""
        return tuple(sorted({cell.amplitude for cell in self.errors}))

    @property
    def taus(self) -> tuple[float, ...]:
        """The steps, ascending."""
        return tuple(sorted({cell.tau for cell in self.errors}))

    def row(
        self,
        family: str,
        *,
        amplitude: float,
        tau: float,
        discretization: str = "zoh",
        norm: str = "sup",
    ) -> ErrorCell:
        """Return one cell of the errors.

        Raises:
            ConfigError: If it was not measured.
        """
        key = (family, discretization, norm, amplitude, tau)
        for c in self.errors:
            if (c.family, c.discretization, c.norm, c.amplitude, c.tau) == key:
                return c
        raise ConfigError("no such cell was measured", got=key, expected="one of rows()")

    def sources(self) -> tuple[str, ...]:
        """Return the keys of the paper and of the systems."""
        return (PAPER, "gu2020hippo", "gu2022efficiently", "gu2023mamba")

    def rows(self) -> list[dict[str, object]]:
        """Return one row a family, discretisation, norm, amplitude and tau."""
        return [{"name": self.name} | asdict(cell) for cell in self.errors]

    def summary_lines(self) -> list[tuple[str, str]]:
        """Return the growth of each kind of system's error, and a conclusion from the numbers."""
        return lines(self)

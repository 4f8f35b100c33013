"""What the study can be told."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import frexp, isfinite
from pathlib import Path
from typing import Any

from timegrain.core.errors import ConfigError
from timegrain.core.shown import shown
from timegrain.study.presets.paper_refinement.trajectories import STEPS

FINEST_TAU, COARSEST_TAU = 2.0**-6, 2.0**6
_MANY = 1 << 20
_WHOLE = {
    "length": (8, _MANY),
    "trajectories": (16, _MANY),
    "tested": (16, _MANY),
    "epochs": (1, _MANY),
    "d_model": (1, _MANY),
    "n_layers": (1, 1000),
    "seeds": (1, 1000),
    "seed": (0, 2**32 - 1),
}


@dataclass(frozen=True, kw_only=True)
class PaperRefinementSettings:
    """Everything the study can be told.

    Args:
        tasks: Systems whose parameters are to be told, of `STEPS`.
        models: Networks, as `build_model` names their layers.
        taus: Steps in units of the trained one, ascending powers of two from 1/64 to 64; 1 and
            another are among them.
        seeds: Networks of each kind, 1 to 1,000, from seeds `seed, seed + 1, ..`.
        length: Samples of a trajectory at tau 1, a multiple of the largest tau.
        trajectories: How many a network is trained on.
        tested: How many it is scored on.
        epochs: Of each training.
        d_model: Width of the networks.
        n_layers: Their layers.
        noise: Size of the noise with which the oscillators are observed, in deviations of what is
            observed.
        seed: Of the trajectories and their noise, and of the first network.
        folder: Where each training leaves its scores, so that a study that was stopped goes on;
            None keeps nothing.

    Raises:
        ConfigError: If a value is outside its domain.

    Example:
        >>> PaperRefinementSettings().strides
        (1, 2, 4, 8, 16)
    """

    tasks: tuple[str, ...] = tuple(STEPS)
    models: tuple[str, ...] = ("s4d", "s6")
    taus: tuple[float, ...] = (0.25, 0.5, 1.0, 2.0, 4.0)
    seeds: int = 3
    length: int = 256
    trajectories: int = 1024
    tested: int = 512
    epochs: int = 15
    d_model: int = 32
    n_layers: int = 2
    noise: float = 0.05
    seed: int = 0
    folder: Path | None = None

    def __post_init__(self) -> None:
        _check_names(self.tasks, "tasks", tuple(STEPS))
        _check_names(self.models, "models", None)
        _check_taus(self.taus)
        for name, (least, most) in _WHOLE.items():
            value = getattr(self, name)
            if not _is_whole(value) or not least <= value <= most:
                raise ConfigError(
                    f"{name} is a whole number",
                    got=f"{name}={shown(value)}",
                    expected=f"{least} to {most:,}",
                )
        if self.length % max(self.taus):
            raise ConfigError(
                "every grid spans the same time",
                got=f"length={self.length} and tau {max(self.taus):g}",
                expected="a length that is a multiple of the largest tau",
            )
        if not _is_number(self.noise) or self.noise < 0:
            raise ConfigError("noise is a size", got=shown(self.noise), expected="0 or more")

    @property
    def network_seeds(self) -> tuple[int, ...]:
        """Seed of each network of a kind."""
        return tuple(range(self.seed, self.seed + self.seeds))

    @property
    def strides(self) -> tuple[int, ...]:
        """Every so many-th sample of the finest grid for each tau."""
        return tuple(round(tau / self.taus[0]) for tau in self.taus)

    @property
    def trained_stride(self) -> int:
        """The stride of tau 1."""
        return round(1 / self.taus[0])


def _check_names(names: tuple[str, ...], what: str, known: tuple[str, ...] | None) -> None:
    for name in _several(names, what):
        if not isinstance(name, str) or (known is not None and name not in known):
            raise ConfigError(
                f"the study has no such {what}",
                got=shown(name),
                expected=f"some of {', '.join(known)}" if known else "names, such as s4d",
            )


def _several(values: object, what: str) -> tuple[Any, ...]:
    found = tuple(values) if isinstance(values, Iterable) and not isinstance(values, str) else ()
    if not found or any(found.count(value) > 1 for value in found):
        raise ConfigError(
            f"{what} are one or several, each once",
            got=f"{what}={shown(values)}",
            expected="such as ('s4d', 's6')",
        )
    return found


def _check_taus(taus: tuple[float, ...]) -> None:
    powers = all(
        _is_number(t) and FINEST_TAU <= t <= COARSEST_TAU and frexp(t)[0] == 0.5
        for t in _several(taus, "taus")
    )
    if not powers or list(taus) != sorted(taus) or 1 not in taus or len(taus) < 2:
        raise ConfigError(
            "taus are powers of two, ascending, so that the grids share their times",
            got=shown(taus),
            expected="two or more from 1/64 to 64, 1 among them",
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)

"""The trajectories of the study: drawn once on the finest grid, read by every coarser one."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float32, Float64, Int64

from timegrain.data.generated.streams import case_streams
from timegrain.data.systems.ornstein import OU, ornstein_uhlenbeck_path
from timegrain.data.systems.oscillators import DAMPED, DUFFING, VDP
from timegrain.data.systems.system import System
from timegrain.data.systems.times import sample_times
from timegrain.data.task import Part, Task
from timegrain.data.tasks import load_task

if TYPE_CHECKING:
    from timegrain.study.presets.paper_refinement.settings import PaperRefinementSettings

# the systems with the step of each at tau 1. 256 steps are about four periods of the oscillators;
# the process needs more of its time for its rate to be told
STEPS: Mapping[str, float] = MappingProxyType(
    {VDP.name: 0.1, DUFFING.name: 0.1, DAMPED.name: 0.1, OU.name: 0.2}
)
SYSTEMS: Mapping[str, System] = MappingProxyType({s.name: s for s in (VDP, DUFFING, DAMPED, OU)})


@dataclass(frozen=True, kw_only=True, eq=False)
class Trajectories:
    """One system's trajectories.

    Args:
        finest: The task on the finest grid.
        trained: The same sequences on the grid of tau 1.
    """

    finest: Task
    trained: Task


def trajectories(name: str, settings: "PaperRefinementSettings") -> Trajectories:
    """Return what is seen of a system, on the finest grid and on that of tau 1.

    Scaling is that of the training part on the finest grid, the same for every grid. The
    oscillators are observed with noise, a stationary Ornstein-Uhlenbeck path that forgets within
    one step of tau 1: coarser grids see the values that finer ones have at the same instants.

    Args:
        name: Of `STEPS`.
        settings: Sizes, noise and seed.
    """
    stride = settings.trained_stride
    dt = STEPS[name] / stride
    finest = load_task(
        f"{name}-inference",
        length=settings.length * stride,
        dt=dt,
        n_train=settings.trajectories,
        n_validation=0,
        n_test=settings.tested,
        seed=settings.seed,
    )
    if settings.noise and not SYSTEMS[name].rough:
        train, test = (
            _noisy(part, settings.noise, f"{name} noise {side}", settings.seed, dt, STEPS[name])
            for side, part in (("train", finest.train), ("test", finest.test))
        )
        finest = replace(finest, train=train, test=test)
    return Trajectories(
        finest=finest,
        trained=replace(
            finest,
            train=_thinned(finest.train, stride),
            test=_thinned(finest.test, stride),
            dt=STEPS[name],
        ),
    )


def nested_noise(
    index: Int64[np.ndarray, " case"],
    *,
    name: str,
    seed: int,
    dt: float,
    n: int,
    memory: float,
    n_channels: int = 1,
) -> Float64[np.ndarray, "case time channel"]:
    """Return noise of variance 1, one path a case however finely it is read.

    Args:
        index: Numbers of the cases.
        name: What it is for.
        seed: Of the paths.
        dt: Step of the grid, on which `ornstein_uhlenbeck_path` can be read.
        n: Samples.
        memory: Time within which the noise forgets to `1/e`.
        n_channels: Independent paths of a case.

    Example:
        >>> way = {"name": "x", "seed": 0, "memory": 0.1}
        >>> fine = nested_noise(np.arange(2), dt=0.025, n=9, **way)
        >>> bool((fine[:, ::4] == nested_noise(np.arange(2), dt=0.1, n=3, **way)).all())
        True
    """
    theta = np.full(len(index), 1 / memory)
    path = ornstein_uhlenbeck_path(
        theta,
        list(case_streams(seed, name, index)),
        sample_times(dt, n),
        n_states=n_channels,
        sigma=float(np.sqrt(2 / memory)),
    )
    return np.moveaxis(path, -1, 0)


def _noisy(part: Part, size: float, name: str, seed: int, dt: float, memory: float) -> Part:
    cases, n, channels = part.x.shape
    noise = nested_noise(
        np.arange(cases), name=name, seed=seed, dt=dt, n=n, memory=memory, n_channels=channels
    )
    x: Float32[np.ndarray, "case time channel"] = np.asarray(part.x) + size * noise
    return replace(part, x=x.astype(np.float32))


def _thinned(part: Part, stride: int) -> Part:
    x = np.ascontiguousarray(np.asarray(part.x)[:, ::stride])
    return replace(part, x=x, lengths=-(-part.lengths // stride))

"""One training of the study, and its losses on every grid."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float64

from timegrain.study.presets.paper_refinement.trajectories import Trajectories

if TYPE_CHECKING:
    from timegrain.study.presets.paper_refinement.settings import PaperRefinementSettings
    from timegrain.training.run import EpochRow


@dataclass(frozen=True, kw_only=True)
class Unit:
    """A network to train.

    Args:
        task: Name of the system.
        model: Name of its layer.
        seed: Of the network and of the order it is trained in.
    """

    task: str
    model: str
    seed: int

    @property
    def name(self) -> str:
        """What its file is called."""
        return f"{self.task}-{self.model}-{self.seed}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Losses:
    """What a trained network loses on each test trajectory, as `Objective.shortfall` has it.

    Args:
        told: Told the step of each grid.
        untold: Told that it is 1.
        possible: What the mean of the test answers loses.
        trivial: Score of the mean of the training answers.
        seconds: Processor time of the training and the scoring.
    """

    told: Float64[np.ndarray, "tau case"]
    untold: Float64[np.ndarray, "tau case"]
    possible: Float64[np.ndarray, " case"]
    trivial: float
    seconds: float


def carry_out(
    unit: Unit,
    seen: Trajectories,
    settings: "PaperRefinementSettings",
    on_epoch: "Callable[[EpochRow, float], None] | None" = None,
) -> Losses:
    """Train a network at tau 1 and return what it loses on every grid.

    Args:
        unit: Which network.
        seen: The trajectories of its system.
        settings: Sizes.
        on_epoch: As for `train`.

    Raises:
        ModelError: If the training diverges, or the answers on a grid are not finite.
    """
    from timegrain.models.build import build_model
    from timegrain.training.batch import decimate
    from timegrain.training.loop import train
    from timegrain.training.objective import Objective
    from timegrain.training.score import make_batch, shortfalls

    begun = time.process_time()
    model = build_model(
        unit.model,
        d_input=seen.trained.d_input,
        d_output=seen.trained.d_output,
        d_model=settings.d_model,
        n_layers=settings.n_layers,
        seed=unit.seed,
    )
    train(model, seen.trained, epochs=settings.epochs, seed=unit.seed, on_epoch=on_epoch)
    objective = Objective.of(seen.trained)
    whole = make_batch(seen.finest.test, objective)
    told, untold, possible = [], [], np.empty(0)
    for tau, stride in zip(settings.taus, settings.strides, strict=True):
        batch = decimate(whole, stride)
        lost, possible = shortfalls(model, batch, objective, tau=tau)
        told.append(lost)
        untold.append(lost if tau == 1 else shortfalls(model, batch, objective, tau=1.0)[0])
    return Losses(
        told=np.array(told),
        untold=np.array(untold),
        possible=possible,
        trivial=seen.trained.trivial_score,
        seconds=time.process_time() - begun,
    )

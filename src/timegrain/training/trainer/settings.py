"""The numbers of a training that the plan does not say."""

import math
from dataclasses import asdict, dataclass

from timegrain.core.errors import ConfigError
from timegrain.models.options import seed_number, whole
from timegrain.training.scaling import Scaling


@dataclass(frozen=True, kw_only=True)
class TrainerSettings:
    """How the weights are moved.

    Args:
        batch_size: Sequences a step.
        lr: Peak learning rate.
        dynamics_lr: Peak learning rate of the time scales.
        weight_decay: Of all other parameters.
        clip: Largest norm of the gradient, > 0.
        seed: Of the order, the phases and dropout.
        tau: Step of the task over the one that the network knows as tau = 1.
        targets: How values to predict are standardised; None by the training part.

    Raises:
        ConfigError: If a number is outside its domain; rates are checked by `make_optimiser`.
    """

    batch_size: int
    lr: float
    dynamics_lr: float
    weight_decay: float
    clip: float
    seed: int
    tau: float = 1.0
    targets: Scaling | None = None

    def __post_init__(self) -> None:
        whole("batch_size", self.batch_size, least=1)
        seed_number(self.seed)
        if not self.clip > 0:
            raise ConfigError(
                "gradients cannot be clipped so", got=f"clip={self.clip}", expected="above 0"
            )
        if isinstance(self.tau, bool) or not 0 < self.tau < math.inf:
            raise ConfigError(
                "tau is a ratio of steps", got=f"tau={self.tau}", expected="above 0 and finite"
            )

    @property
    def parameters(self) -> dict[str, object]:
        """All but the seed, by name, as they stand in the provenance of a run."""
        said = {name: value for name, value in asdict(self).items() if name != "seed"}
        defaults = {"tau": 1.0, "targets": None}
        return {n: v for n, v in said.items() if n not in defaults or v != defaults[n]}

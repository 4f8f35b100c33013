"""The numbers of a training that the plan does not say."""

from dataclasses import asdict, dataclass

from timegrain.core.errors import ConfigError
from timegrain.models.options import seed_number, whole


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

    Raises:
        ConfigError: If a number is outside its domain; rates are checked by `make_optimiser`.
    """

    batch_size: int
    lr: float
    dynamics_lr: float
    weight_decay: float
    clip: float
    seed: int

    def __post_init__(self) -> None:
        whole("batch_size", self.batch_size, least=1)
        seed_number(self.seed)
        if not self.clip > 0:
            raise ConfigError(
                "gradients cannot be clipped so", got=f"clip={self.clip}", expected="above 0"
            )

    @property
    def parameters(self) -> dict[str, object]:
        """All but the seed, by name, as they stand in the provenance of a run."""
        return {name: value for name, value in asdict(self).items() if name != "seed"}

"""The numbers of a training that the plan does not say."""

import math
from dataclasses import MISSING, asdict, dataclass, fields

from timegrain.core.errors import ConfigError
from timegrain.models.options import flag, seed_number, shown, whole
from timegrain.training.feasible import check_rate
from timegrain.training.held_out import SHARE, check_share
from timegrain.training.optimise import check_decay
from timegrain.training.scaling import Scaling
from timegrain.training.trainer.numbers import is_number, plain_number

LARGEST_BATCH = 2**31 - 1


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
        tbptt: Samples through which the gradient goes back at most; None for all.
        amp: 16-bit format of matrix products; None for none.
        accumulate: Batches that go into one step.
        patience: Epochs of a stage without a better validation score after which it ends; None
            holds nothing out.
        validation: Share of the training part that is held out for it.
        deterministic: Whether only operations are used that give the same bits again.

    Raises:
        ConfigError: If a number is outside its domain.
    """

    batch_size: int
    lr: float
    dynamics_lr: float
    weight_decay: float
    clip: float
    seed: int
    tau: float = 1.0
    targets: Scaling | None = None
    tbptt: int | None = None
    amp: str | None = None
    accumulate: int = 1
    patience: int | None = None
    validation: float = SHARE
    deterministic: bool = False

    def __post_init__(self) -> None:
        for name in ("lr", "dynamics_lr", "weight_decay", "clip", "tau", "validation"):
            # a number of numpy or torch has no place in a record or a snapshot
            object.__setattr__(self, name, plain_number(getattr(self, name)))
        check_rate("lr", self.lr)
        check_rate("dynamics_lr", self.dynamics_lr)
        whole("batch_size", self.batch_size, least=1, most=LARGEST_BATCH)
        seed_number(self.seed)
        whole("accumulate", self.accumulate, least=1, most=LARGEST_BATCH)
        if not (self.targets is None or isinstance(self.targets, Scaling)):
            raise ConfigError(
                "targets are standardised as a Scaling says",
                got=f"targets={shown(self.targets)}",
                expected="None, or such as target_scaling(task) returns",
            )
        if self.patience is not None:
            whole("patience", self.patience, least=1)
        check_share("validation", self.validation)
        if self.patience is None and self.validation != SHARE:
            raise ConfigError(
                "nothing is held out of the training part without early stopping",
                got=f"validation={self.validation} alone",
                hint="patience=5 with it",
            )
        flag("deterministic", self.deterministic)
        if self.tbptt is not None:
            whole("tbptt", self.tbptt, least=1)
        if not (is_number(self.clip) and self.clip > 0):
            raise ConfigError(
                "gradients cannot be clipped so",
                got=f"clip={shown(self.clip)}",
                expected="a number above 0",
                hint="clip=float('inf') for none",
            )
        if not (is_number(self.tau) and 0 < self.tau < math.inf):
            raise ConfigError(
                "tau is a ratio of steps",
                got=f"tau={shown(self.tau)}",
                expected="a number above 0 and finite",
            )
        check_decay(self.weight_decay)

    @property
    def parameters(self) -> dict[str, object]:
        """All but the seed, by name, as they stand in the provenance of a run."""
        said = {name: value for name, value in asdict(self).items() if name != "seed"}
        defaults = {f.name: f.default for f in fields(self) if f.default is not MISSING}
        if self.patience is None:
            said.pop("validation")
        return {n: v for n, v in said.items() if n not in defaults or v != defaults[n]}

    @property
    def step_size(self) -> int:
        """Sequences that go into one step at full resolution."""
        return self.batch_size * self.accumulate

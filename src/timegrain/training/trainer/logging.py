"""Numbers of a training under way, for any function that takes them."""

from collections.abc import Callable, Mapping

from timegrain.core.errors import ConfigError
from timegrain.training.plan.walk import Step
from timegrain.training.run import EpochRow
from timegrain.training.trainer.state import TrainingState

Log = Callable[[Mapping[str, float], int], object]


class Logged:
    """Hands numbers to `log(mapping, step)`: after each step, and after each epoch.

    Of a step: `train/loss`, `train/lr`. Of an epoch: `train/epoch_loss`, `test/score`,
    `validation/score` where something is held out, `stage/stride`, `time/seconds`. The number is
    that of the steps done, in the schedule: those of a stage that ended early are left out.

    Args:
        state: Where the training is.
        log: What takes the numbers; what it raises ends the training.
        lr: Peak learning rate.

    Raises:
        ConfigError: If `log` cannot be called.
    """

    def __init__(self, state: TrainingState, log: Log, *, lr: float) -> None:
        if not callable(log):
            raise ConfigError(
                "log is called with a mapping and the number of the step",
                got=f"log={log!r}"[:80],
                expected="a function log(mapping, step)",
                hint="log=print, or log=tensorboard_log('runs/first')",
            )
        self.state, self.log, self.lr = state, log, lr

    def after_step(self, step: Step, loss: float) -> None:
        """Hand over the loss and the learning rate of a step."""
        values = {"train/loss": loss, "train/lr": self.lr * step.lr_factor}
        self.log(values, step.number + 1)

    def after_epoch(self, row: EpochRow) -> None:
        """Hand over what is known after an epoch."""
        values = {"train/epoch_loss": row.train_loss, "test/score": row.score}
        if row.validation is not None:
            values["validation/score"] = row.validation
        values |= {"stage/stride": float(row.stride), "time/seconds": row.seconds}
        self.log(values, self.state.steps)

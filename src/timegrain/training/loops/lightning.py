"""A plan in the Trainer of Lightning."""

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from timegrain.core.errors import ConfigError, LayoutError
from timegrain.data.readers.extra import need
from timegrain.training.loops.timetable import Timetable, check_followable
from timegrain.training.plan.named import along_names, whole_number
from timegrain.training.plan.plan import SubsamplingPlan

# One library under two names, each with classes of its own: that which is in use counts.
_NAME = "lightning.pytorch" if "lightning.pytorch" in sys.modules else "pytorch_lightning"
_lightning: Any = need(_NAME, "lightning", "callbacks of its Trainer", done="made")


class SubsamplingCallback(_lightning.Callback):
    """A Lightning callback that thins the training batches as each stage of a plan wants them.

    Give it to `Trainer(..., callbacks=[SubsamplingCallback(plan)])`. A batch is a dict, as
    `SubsamplingPlan.collate` reads it: an input such as `"x"`, and `"lengths"`, `"times"`, masks
    and labels, which follow. Before each `training_step` it holds what the stage leaves, and
    `"tau"`; batches of validation and test stay as they are, so `batch.get("tau", 1.0)` is right
    in all. This happens in the training process, whatever workers have fetched ahead.

    Args:
        plan: The plan. Its `lr_policy` is left to the module's own schedule.
        epochs: Over which to lay the stages; None takes the Trainer's `max_epochs`, or lays them
            over its `max_steps` where that alone is set.
        seed: Of the phases.
        per_step: Whether there is a target for every sample; None asks where a shape leaves it
            open.
        along: Further names of a batch that have an axis of time after the first.

    Raises:
        ConfigError: If the Trainer cannot follow the plan.
    """

    def __init__(
        self,
        plan: SubsamplingPlan,
        *,
        epochs: int | None = None,
        seed: int = 0,
        per_step: bool | None = None,
        along: Iterable[str] = (),
    ) -> None:
        check_followable(plan)
        self.plan, self.seed = plan, whole_number("seed", seed, least=0)
        self.epochs = None if epochs is None else whole_number("epochs", epochs, least=1)
        self.per_step, self.along = per_step, along_names(along)
        self.timetable: Timetable | None = None
        self._stored: Mapping[str, Any] | None = None

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Lay the stages out over the training.

        Raises:
            ConfigError: If it has no end, or is resumed with another plan.
        """
        self.timetable = self._laid_out(trainer)
        if self._stored is not None:
            self.timetable.check_same(self._stored)

    def on_train_batch_start(
        self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int
    ) -> None:
        """Leave in the batch what the stage leaves.

        Raises:
            LayoutError: If the batch is no dict.
        """
        if self.timetable is None:
            return
        if not isinstance(batch, dict):
            raise LayoutError(
                "a callback can thin a batch in place alone",
                got=type(batch).__name__,
                expected="a dict such as {'x': ..., 'y': ..., 'lengths': ...}",
                hint="a dataset whose items are dicts, or a collate_fn that returns one",
            )
        by_epochs = self.timetable.unit == "epochs"
        position = trainer.current_epoch if by_epochs else trainer.global_step
        thin: Any = self.plan.collate(
            batch,
            stage=self.timetable.stage(position),
            generator=self.timetable.generator(trainer.current_epoch, batch_idx),
            per_step=self.per_step,
            along=self.along,
        )
        batch.clear()
        batch.update(thin)

    def state_dict(self) -> dict[str, Any]:
        """Return the timetable, for the checkpoint."""
        return {} if self.timetable is None else self.timetable.state_dict()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Remember which timetable the checkpoint was made with; it is compared at the start."""
        self._stored = state_dict or None

    def _laid_out(self, trainer: Any) -> Timetable:
        epochs = self.epochs if self.epochs is not None else trainer.max_epochs
        if epochs is not None and epochs > 0:
            return Timetable(plan=self.plan, total=epochs, seed=self.seed)
        if trainer.max_steps > 0:
            return Timetable(plan=self.plan, total=trainer.max_steps, unit="steps", seed=self.seed)
        raise ConfigError(
            "stages cannot be laid out over a training without an end",
            got=f"max_epochs={trainer.max_epochs}, max_steps={trainer.max_steps}",
            hint="SubsamplingCallback(plan, epochs=20)",
        )

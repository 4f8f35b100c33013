"""A plan laid out over the epochs and steps of one training."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from timegrain.training.optimise import cosine
from timegrain.training.plan.settings import StepSettings
from timegrain.training.stages import StageRow

if TYPE_CHECKING:
    from timegrain.training.plan.plan import SubsamplingPlan


@dataclass(frozen=True, kw_only=True)
class Course:
    """What to do in each epoch, and at which learning rate at each step.

    Args:
        epochs: One a pass over the training part.
        steps: Steps of each stage.
        lr_policy: `"one_cosine"` or `"restart"`.
    """

    epochs: tuple[StepSettings, ...]
    steps: tuple[int, ...]
    lr_policy: str

    @classmethod
    def of(
        cls,
        plan: "SubsamplingPlan",
        rows: Sequence[StageRow],
        *,
        n: int,
        batch_size: int,
        tau: float = 1.0,
    ) -> "Course":
        """Return the course of a plan.

        Args:
            plan: The plan.
            rows: Epochs of each of its stages.
            n: Sequences of the training part.
            batch_size: Sequences a step at full resolution.
            tau: What the network is told at full resolution.
        """
        settings = [
            StepSettings(
                stage=i,
                stride=stage.stride,
                tau=stage.told * tau,
                decimator=stage.decimator,
                place=plan.place,
                batch_size=batch_size * (stage.stride if plan.grow_batch else 1),
            )
            for i, stage in enumerate(plan.stages)
        ]
        pairs = list(zip(settings, rows, strict=True))
        return cls(
            epochs=tuple(s for s, row in pairs for _ in range(row.epochs)),
            steps=tuple(row.epochs * -(-n // s.batch_size) for s, row in pairs),
            lr_policy=plan.lr_policy,
        )

    def factor(self, step: int) -> float:
        """Return what every learning rate is multiplied by at a step.

        Args:
            step: 0 for the first; the one behind the last is asked for too.
        """
        if self.lr_policy == "one_cosine":
            return cosine(sum(self.steps))(step)
        for steps in self.steps[:-1]:
            if step < steps:
                return cosine(steps)(step)
            step -= steps
        return cosine(self.steps[-1])(step)

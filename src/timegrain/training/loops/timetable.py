"""Which stage and phase each batch of somebody else's loop gets."""

import itertools
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from timegrain.core.errors import ConfigError
from timegrain.core.seeds import stream
from timegrain.models.options import LARGEST_SEED
from timegrain.training.plan.apportion import apportion
from timegrain.training.plan.named import whole_number
from timegrain.training.plan.plan import SubsamplingPlan

if TYPE_CHECKING:
    import torch

UNITS = ("epochs", "steps")


@dataclass(frozen=True, kw_only=True)
class Timetable:
    """A plan laid out over the epochs, or the optimiser's steps, of a loop that is not timegrain's.

    A phase depends on the seed, the epoch and the batch's number alone, so that a loop resumed
    anywhere, with any number of workers, draws what it would have drawn.

    Args:
        plan: The plan. Its `lr_policy` is left to the loop, whose learning rate it is.
        total: Epochs, or optimiser's steps, of the whole training.
        unit: `"epochs"` or `"steps"`.
        seed: Of the phases.

    Raises:
        ConfigError: If the loop cannot follow the plan, or there are fewer epochs than stages.

    Example:
        >>> table = Timetable(plan=SubsamplingPlan.parse("4:2,1:1"), total=6)
        >>> [table.stage(epoch) for epoch in range(6)]
        [0, 0, 0, 0, 1, 1]
    """

    plan: SubsamplingPlan
    total: int
    unit: str = "epochs"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise ConfigError(
                "a plan cannot be laid out over this",
                got=repr(self.unit),
                expected=" or ".join(map(repr, UNITS)),
            )
        seed = whole_number("seed", self.seed, least=0, most=LARGEST_SEED)
        object.__setattr__(self, "seed", seed)
        object.__setattr__(
            self, "total", whole_number(f"total of {self.unit}", self.total, least=1)
        )
        check_followable(self.plan)
        _ = self.ends

    @property
    def ends(self) -> tuple[int, ...]:
        """The first epoch, or step, behind each stage."""
        if self.unit == "epochs":
            counts: tuple[int, ...] = tuple(row.epochs for row in self.plan.epochs(self.total))
        else:
            counts = apportion(self.plan.epoch_shares, self.total)
        return tuple(itertools.accumulate(counts))

    def stage(self, position: int) -> int:
        """Return the number of a stage, 0 for the first.

        Args:
            position: The epoch, or step, 0 for the first; behind the end the last stage goes on.
        """
        return min(bisect_right(self.ends, position), len(self.plan.stages) - 1)

    def generator(self, epoch: int, batch: int) -> "torch.Generator":
        """Return what draws the phase of a batch.

        Args:
            epoch: 0 for the first.
            batch: Its number in the epoch, 0 for the first.
        """
        import torch

        number = int(stream(self.seed, "phase", epoch, batch).integers(2**63))
        return torch.Generator().manual_seed(number)

    def state_dict(self) -> dict[str, Any]:
        """Return the timetable as JSON values."""
        return {
            "plan": self.plan.state_dict(),
            "total": self.total,
            "unit": self.unit,
            "seed": self.seed,
        }

    def check_same(self, state: Mapping[str, Any]) -> None:
        """Check that a stored training followed the same timetable.

        Args:
            state: What `state_dict` of that one wrote.

        Raises:
            ConfigError: If it did not; the text says what differs.
        """
        begun = Timetable.load_state_dict(state)
        for name in ("plan", "total", "unit", "seed"):
            mine, stored = getattr(self, name), getattr(begun, name)
            if mine != stored:
                raise ConfigError(
                    f"a training cannot be resumed with another {name}",
                    got=f"{name}={mine}",
                    expected=f"{stored}, as it was begun",
                    hint="the same callback, or starting anew",
                )

    @classmethod
    def load_state_dict(cls, state: Mapping[str, Any]) -> "Timetable":
        """Return the timetable that `state_dict` wrote.

        Raises:
            ConfigError: If it is not one.
        """
        if not isinstance(state, Mapping) or set(state) != {"plan", "total", "unit", "seed"}:
            raise ConfigError("this is no state of a timetable", got=repr(state))
        return cls(**{**state, "plan": SubsamplingPlan.load_state_dict(state["plan"])})


def check_followable(plan: SubsamplingPlan) -> None:
    """Check that a loop that makes its own batches can follow a plan.

    Raises:
        ConfigError: If it cannot.
    """
    check_place(plan)
    if plan.grow_batch and plan.subsamples:
        raise ConfigError(
            "this loop sets its own batch size",
            got="grow_batch=True",
            expected="grow_batch=False",
            hint="plan.walk(...), whose batches grow",
        )


def check_place(plan: SubsamplingPlan) -> None:
    """Check that a plan drops samples before the network sees them.

    Raises:
        ConfigError: If it does not, or is no plan.
    """
    if not isinstance(plan, SubsamplingPlan):
        raise ConfigError(
            "a loop follows a plan",
            got=type(plan).__name__,
            expected="a SubsamplingPlan",
            hint="SubsamplingPlan.parse('8:4,1:1'), or subsampling_plan(task).plan",
        )
    if plan.place == "embedding" and plan.subsamples:
        raise ConfigError(
            "batches are thinned before the network sees them",
            got="place='embedding'",
            expected="place='input'",
            hint="plan.walk(...), whose settings.answer drops samples after an embedding",
        )

"""The batches of a walk, for a loader of plain torch."""

from collections.abc import Callable, Iterable
from typing import Any

from torch.utils.data import Dataset

from timegrain.core.errors import ConfigError
from timegrain.models.options import shown
from timegrain.training.batch import Batch
from timegrain.training.loops.stack import stack
from timegrain.training.loops.timetable import check_place
from timegrain.training.plan.named import along_names, check_values, input_name, named, tensor_of
from timegrain.training.plan.plan import SubsamplingPlan
from timegrain.training.plan.walk import Step


class StepBatches(Dataset[tuple[Step, dict[str, Any]]]):
    """A dataset whose items are the thinned batches of a walk's steps.

    Give it to `DataLoader(StepBatches(...), sampler=walk, batch_size=None, num_workers=...)`: each
    step goes to a worker with its sequences, stage and phase, so nothing else has to reach it.

    Args:
        data: Examples by number, such as `(x, y)`.
        plan: The plan of the walk.
        collate: Makes a batch of examples, as `SubsamplingPlan.collate` reads them; None is torch's
            own.
        per_step: Whether there is a target for every sample; None asks where a shape leaves it
            open.
        along: Further names of a dict that have an axis of time after the first.

    Raises:
        ConfigError: If samples are to be dropped after an embedding, which is the network's, or
            there are no examples by number; from an item, if the walk is of another plan, of more
            sequences, or of shorter ones.
        LayoutError: From an item, if its examples cannot be stacked.

    Example:
        >>> import torch
        >>> from torch.utils.data import DataLoader
        >>> plan = SubsamplingPlan.parse("4:1,1:1")
        >>> data = [(torch.zeros(8, 1), 0)] * 3
        >>> walk = plan.walk(3, time=8, epochs=2, batch_size=2)
        >>> loader = DataLoader(StepBatches(data, plan), sampler=walk, batch_size=None)
        >>> [tuple(batch["x"].shape) for step, batch in loader]
        [(2, 2, 1), (1, 2, 1), (2, 8, 1), (1, 8, 1)]
    """

    def __init__(
        self,
        data: Any,
        plan: SubsamplingPlan,
        *,
        collate: Callable[[list[Any]], Any] | None = None,
        per_step: bool | None = None,
        along: Iterable[str] = (),
    ) -> None:
        check_place(plan)
        if not hasattr(data, "__getitem__"):
            raise ConfigError(
                "examples are asked for by their numbers",
                got=shown(data),
                expected="a list, or a Dataset with numbers",
            )
        self.data, self.plan = data, plan
        self.collate: Callable[[list[Any]], Any] = stack if collate is None else collate
        self.per_step, self.along = per_step, along_names(along)

    def __getitem__(self, step: Step) -> tuple[Step, dict[str, Any]]:
        """Return a step and its batch."""
        self._check(step)
        whole = self.collate([self.data[i] for i in step.index.tolist()])
        _check_time(whole, step)
        batch: Any = self.plan.collate(
            whole,
            stage=step.settings.stage,
            offset=step.offset,
            per_step=self.per_step,
            along=self.along,
        )
        return step, batch

    def _check(self, step: Step) -> None:
        if not isinstance(step, Step):
            raise ConfigError(
                "batches are asked for by the steps of a walk",
                got=repr(step),
                hint="DataLoader(StepBatches(data, plan), sampler=walk, batch_size=None)",
            )
        asked, stages = step.settings, self.plan.stages
        mine = stages[asked.stage] if asked.stage < len(stages) else None
        same = (asked.stride, asked.tau, asked.decimator)
        if mine is None or (mine.stride, mine.told, mine.decimator) != same:
            raise ConfigError(
                "the walk is not of this plan",
                got=f"a stage {asked.stage} of stride {asked.stride} by {asked.decimator}",
                expected=f"one of {self.plan}",
                hint="plan.walk(...) and StepBatches(data, plan) of one plan",
            )
        n = len(self.data) if hasattr(self.data, "__len__") else None
        largest = int(step.index.max())
        if n is not None and largest >= n:
            raise ConfigError(
                "the walk is over more sequences than there are",
                got=f"sequence {largest} of {n}",
                hint=f"plan.walk({n}, ...)",
            )


def _check_time(whole: Any, step: Step) -> None:
    """Refuse samples for which the walk has drawn no phase; shorter batches are as they may be."""
    if isinstance(whole, Batch):
        x = whole.x
    else:
        given = named(whole)
        x = tensor_of("x", given[input_name(given)])
    check_values(x)
    if x.shape[1] > step.time:
        raise ConfigError(
            "the walk is over shorter sequences than there are",
            got=f"time={step.time} for {x.shape[1]} samples",
            hint="plan.walk(..., time=...) with the samples of the longest sequence",
        )

"""The batches of a walk, for a loader of plain torch."""

from collections.abc import Callable, Iterable
from typing import Any

from torch.utils.data import Dataset, default_collate

from timegrain.training.loops.timetable import check_place
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
        per_step: Whether there is a target for every sample.
        along: Further names of a dict that have an axis of time after the first.

    Raises:
        ConfigError: If samples are to be dropped after an embedding, which is the network's.

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
        per_step: bool = False,
        along: Iterable[str] = (),
    ) -> None:
        check_place(plan)
        self.data, self.plan = data, plan
        self.collate: Callable[[list[Any]], Any] = default_collate if collate is None else collate
        self.per_step, self.along = per_step, tuple(along)

    def __getitem__(self, step: Step) -> tuple[Step, dict[str, Any]]:
        """Return a step and its batch."""
        batch: Any = self.plan.collate(
            self.collate([self.data[i] for i in step.index.tolist()]),
            stage=step.settings.stage,
            offset=step.offset,
            per_step=self.per_step,
            along=self.along,
        )
        return step, batch

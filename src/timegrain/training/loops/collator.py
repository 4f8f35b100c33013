"""A collate function that thins each batch as its stage wants it, in any worker process."""

import os
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.utils.data import get_worker_info

from timegrain.core.errors import ConfigError
from timegrain.training.loops.stack import stack
from timegrain.training.loops.timetable import Timetable
from timegrain.training.plan.named import along_names

# what the main process says to its workers: which announcement this is, the epoch, batches done in
# it, the position of its first batch, and batches a position (0: all of the epoch)
_FIELDS = 5


class SubsamplingCollator:
    """A `collate_fn` for a `DataLoader` that leaves what the current stage leaves.

    Say `set_epoch` before each epoch, as for a `DistributedSampler`. It reaches worker processes
    through shared memory, also those that persist. Within an epoch batches are counted, by each
    worker those that the loader hands to it in turn, so that what is fetched ahead gets its own
    stage and phase. The loader has to keep its order (`in_order=True`, as is usual).

    Args:
        timetable: Which stage when.
        collate: Makes a batch of examples, as `SubsamplingPlan.collate` reads them; None is torch's
            own.
        per_step: Whether there is a target for every sample; None asks where a shape leaves it
            open.
        along: Further names of a dict that have an axis of time after the first.
        tell: Whether the batch says `tau`; not for a network that cannot be given it.

    Raises:
        ConfigError: If `timetable` is none, such as a plan by itself.

    Example:
        >>> from timegrain.training import SubsamplingPlan
        >>> table = Timetable(plan=SubsamplingPlan.parse("4:1,1:1"), total=2)
        >>> collator = SubsamplingCollator(table)
        >>> batch = collator([{"x": torch.zeros(8, 1), "y": 1}] * 3)
        >>> tuple(batch["x"].shape), batch["tau"]
        ((3, 2, 1), 4.0)
        >>> collator.set_epoch(1)
        >>> tuple(collator([{"x": torch.zeros(8, 1), "y": 1}] * 3)["x"].shape)
        (3, 8, 1)
    """

    def __init__(
        self,
        timetable: Timetable,
        collate: Callable[[list[Any]], Any] | None = None,
        *,
        per_step: bool | None = None,
        along: Iterable[str] = (),
        tell: bool = True,
    ) -> None:
        if not isinstance(timetable, Timetable):
            raise ConfigError(
                "a collator follows a timetable",
                got=type(timetable).__name__,
                expected="a Timetable",
                hint="Timetable(plan=plan, total=epochs)",
            )
        self.timetable = timetable
        self.collate: Callable[[list[Any]], Any] = stack if collate is None else collate
        self.per_step, self.along, self.tell = per_step, along_names(along), tell
        self._shared = torch.zeros(_FIELDS, dtype=torch.int64).share_memory_()
        self._seen: tuple[int, int] | None = None
        self._count = 0

    def set_epoch(
        self, epoch: int, *, done: int = 0, position: int | None = None, every: int = 0
    ) -> None:
        """Say which epoch begins; before the loader is iterated.

        Args:
            epoch: 0 for the first.
            done: Batches of this epoch that are left out, since they were trained on before.
            position: Where the epoch begins in the timetable; None is the epoch's number.
            every: Batches, from the epoch's first on, that make one position; 0 for a timetable of
                epochs.
        """
        begin = epoch if position is None else position
        number = int(self._shared[0]) + 1
        self._shared.copy_(torch.tensor([number, epoch, done, begin, every]))

    def __call__(self, examples: list[Any]) -> Any:
        """Return the batch that these examples make at this point of the training."""
        epoch, batch, position = self._place()
        out: Any = self.timetable.plan.collate(
            self.collate(examples),
            stage=self.timetable.stage(position),
            generator=self.timetable.generator(epoch, batch),
            per_step=self.per_step,
            along=self.along,
        )
        if not self.tell and isinstance(out, dict):
            del out["tau"]
        return out

    def _place(self) -> tuple[int, int, int]:
        """Return the epoch, the number of this batch in it, and its position."""
        said, epoch, done, begin, every = self._shared.tolist()
        if self._seen != (said, os.getpid()):
            self._seen, self._count = (said, os.getpid()), 0
        worker = get_worker_info()
        turn = self._count if worker is None else self._count * worker.num_workers + worker.id
        self._count += 1
        batch = done + turn
        return epoch, batch, begin + (batch // every if every else 0)

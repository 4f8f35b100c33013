"""The steps of a training in order, for loops of one's own; can be left and resumed anywhere."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from timegrain.core.errors import ConfigError
from timegrain.core.seeds import stream
from timegrain.models.options import shown
from timegrain.training.plan.course import Course
from timegrain.training.plan.named import whole_number
from timegrain.training.plan.settings import StepSettings


@dataclass(frozen=True, kw_only=True, eq=False)
class Step:
    """One step.

    Args:
        number: 0 for the first of the training.
        epoch: 0 for the first.
        index: Which sequences, `(batch,)`.
        time: Samples of the longest of all sequences.
        offset: The phase.
        lr_factor: What every learning rate is multiplied by.
        settings: How the step is done.
    """

    number: int
    epoch: int
    index: Int[Tensor, " batch"]
    time: int
    offset: int
    lr_factor: float
    settings: StepSettings


class Walk:
    """An iterator over the steps of a course, with a position.

    Orders and phases come from one generator, drawn as `train` draws them. `state_dict` holds the
    state of that generator at the start of the epoch and how many of its steps are done, so that a
    walk resumed in the middle of a stage goes on with the same sequences at the same phases. A walk
    is gone once: to iterate it after its end, as a `DataLoader` over it does, is an error.

    Args:
        course: What to do.
        n: Sequences of the training part.
        time: Samples of a padded sequence.
        seed: Of the orders and phases.

    Example:
        >>> from timegrain.training.plan.plan import SubsamplingPlan
        >>> walk = SubsamplingPlan.parse("4:1,1:1").walk(5, time=20, epochs=2, batch_size=2)
        >>> [(step.settings.stride, len(step.index)) for step in walk]
        [(4, 2), (4, 2), (4, 1), (1, 2), (1, 2), (1, 1)]
    """

    def __init__(self, course: Course, *, n: int, time: int, seed: int = 0) -> None:
        self.course, self.n, self.time = course, n, time
        number = int(stream(seed, "train", "order").integers(2**63))
        self._random = torch.Generator().manual_seed(number)
        self._order: tuple[Tensor, ...] | None = None
        self._number = 0
        self._begin(0)

    def __iter__(self) -> Iterator[Step]:
        if self._walked:
            raise ConfigError(
                "this walk was walked to its end",
                hint="plan.walk(...) once more, or walk.load_state_dict(...) to go back",
            )
        return self

    def __len__(self) -> int:
        return sum(self.course.steps)

    @property
    def epoch(self) -> int:
        """The epoch of the step that comes next; their number behind the last step."""
        return self._epoch

    @property
    def number(self) -> int:
        """Steps done."""
        return self._number

    def __next__(self) -> Step:
        if self._epoch >= len(self.course.epochs):
            self._walked = True
            raise StopIteration
        settings = self.course.epochs[self._epoch]
        if self._order is None:
            order = torch.randperm(self.n, generator=self._random)
            self._order = order.split(settings.batch_size)
        step = Step(
            number=self._number,
            epoch=self._epoch,
            index=self._order[self._done],
            time=self.time,
            offset=settings.offset(self.time, self._random),
            lr_factor=self.course.factor(self._number),
            settings=settings,
        )
        self._done += 1
        self._number += 1
        if self._done == len(self._order):
            self._begin(self._epoch + 1)
        return step

    def skip_stage(self) -> int:
        """Leave out the epochs that are left of the stage of the last step; return their number.

        The steps behind keep their numbers, and so their learning rates: the schedule is left out
        for as long as the epochs are. At the end of a stage, or before any step, nothing is left
        out.

        Raises:
            ConfigError: In the middle of an epoch.
        """
        if self._done:
            raise ConfigError("a stage is left at the end of an epoch", got=f"step {self._done}")
        epochs, first = self.course.epochs, self._epoch
        after = first
        while first > 0 and after < len(epochs) and epochs[after].stage == epochs[first - 1].stage:
            after += 1
        if after > first:
            self._begin(after)
            self._number = sum(self._steps(i) for i in range(after))
        return after - first

    def state_dict(self) -> dict[str, Any]:
        """Return the position as JSON values, behind the last step that was asked for.

        A `DataLoader` with worker processes asks for steps before the loop has done them. There
        the loop's own step counts: `itertools.islice(walk, step.number + 1, None)` of a new walk
        goes on behind it.
        """
        return {
            "epoch": self._epoch,
            "done": self._done,
            "generator": bytes(self._at_start.tolist()).hex(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go to a position that `state_dict` of a walk with the same course wrote.

        Raises:
            ConfigError: If it is no position of this walk.
        """
        epoch, done, drawn = _position(state)
        steps = self._steps(epoch) if 0 <= epoch < len(self.course.epochs) else 1
        if not (0 <= epoch <= len(self.course.epochs) and 0 <= done < steps):
            raise ConfigError(
                "this position is outside the walk",
                got=f"epoch {epoch}, step {done}",
                expected=f"{len(self.course.epochs)} epochs",
            )
        self._random.set_state(drawn)
        self._begin(epoch)
        self._number = sum(self._steps(i) for i in range(epoch))
        for _ in range(done):
            next(self)

    def _begin(self, epoch: int) -> None:
        self._epoch, self._done = epoch, 0
        self._order = None
        self._walked = False
        self._at_start = self._random.get_state()

    def _steps(self, epoch: int) -> int:
        return -(-self.n // self.course.epochs[epoch].batch_size)


_KEYS = ("done", "epoch", "generator")


def _position(state: object) -> tuple[int, int, Tensor]:
    """Return the epoch, the steps done of it, and the state of the generator at its start."""
    keys = sorted(map(str, state)) if isinstance(state, Mapping) else type(state).__name__
    if not isinstance(state, Mapping) or keys != list(_KEYS):
        raise ConfigError("this is no position of a walk", got=keys, expected=list(_KEYS))
    epoch = whole_number("epoch", state["epoch"], least=0)
    done = whole_number("done", state["done"], least=0)
    try:
        drawn = torch.tensor(list(bytes.fromhex(state["generator"])), dtype=torch.uint8)
        torch.Generator().set_state(drawn)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ConfigError(
            "this is no position of a walk",
            got=f"generator={shown(state['generator'])}",
            expected="the state of a generator, as state_dict() writes it",
        ) from error
    return epoch, done, drawn

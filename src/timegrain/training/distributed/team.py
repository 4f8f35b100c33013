"""Processes that train one network together."""

import atexit
import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as dist
from jaxtyping import Int
from torch import Tensor
from torch.distributed.rendezvous import rendezvous

from timegrain.core.errors import TimegrainError
from timegrain.training.distributed.environment import Place, place_of_environment

PATIENCE = timedelta(minutes=10)  # for a process that does not answer
ARRIVAL = timedelta(minutes=2)  # between the first process that is ready to train and the last


class TeamError(TimegrainError):
    """A process that no longer answers the others."""


@dataclass(frozen=True, kw_only=True)
class Team(Place):
    """This process and those that it trains with; all of them do the same calls in order."""

    @classmethod
    def of_environment(cls) -> "Team | None":
        """Return the processes that `torchrun` started, joined; None where this one is alone.

        A process group that is there is used as it is; else one of gloo, with NCCL for what is on
        a CUDA device, in which a process waits two minutes for the others to come, and then ten
        for each answer.

        Raises:
            ConfigError: As `place_of_environment` raises.
            TeamError: If the others do not come, such as one that ended before it trained.
        """
        place = place_of_environment()
        if place is None:
            return None
        if not dist.is_initialized():
            backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
            with _answered():
                dist.init_process_group(
                    backend,
                    store=_arrived(place),
                    rank=place.rank,
                    world_size=place.size,
                    timeout=PATIENCE,
                )
            atexit.register(_leave)
        return cls(rank=place.rank, size=place.size)

    @property
    def leads(self) -> bool:
        """Whether this process prints and writes."""
        return self.rank == 0

    def share(self, n: int) -> Int[Tensor, " mine"]:
        """Return which of `n` things are this process's: neighbours, and none where there are few.

        Args:
            n: How many there are.
        """
        return torch.tensor_split(torch.arange(n), self.size)[self.rank]

    def add_up(self, values: Tensor) -> None:
        """Put the sum over all processes in the place of each one's values.

        Raises:
            TeamError: If another process does not answer.
        """
        with _answered():
            dist.all_reduce(torch.view_as_real(values) if values.is_complex() else values)

    def spread(self, values: Tensor) -> None:
        """Put the first process's values in the place of each one's.

        Raises:
            TeamError: If another process does not answer.
        """
        with _answered():
            dist.broadcast(torch.view_as_real(values) if values.is_complex() else values, 0)

    def gather(self, values: Tensor) -> list[Tensor]:
        """Return the values of all processes, in order.

        Raises:
            TeamError: If another process does not answer.
        """
        everyones = [torch.empty_like(values) for _ in range(self.size)]
        with _answered():
            dist.all_gather(everyones, values)
        return everyones


def _arrived(place: Place) -> dist.Store:
    """Return the store through which processes find each other, once all of them are there."""
    try:
        meeting, _, _ = next(rendezvous("env://", timeout=ARRIVAL))
        store = dist.PrefixStore("timegrain", meeting)
        store.set(f"ready/{place.rank}", "")
        for other in range(place.size):
            store.wait([f"ready/{other}"], ARRIVAL)
    except RuntimeError as error:  # what torch raises for a timeout
        raise TeamError(
            f"not all processes came to this training within {ARRIVAL.total_seconds():g} s",
            got=f"{_cause(str(error))} in process {place.rank} of {place.size}",
            expected="every process that torchrun started",
            hint="the output of the others: one may have ended, or be at work on something else",
        ) from error
    store.set_timeout(PATIENCE)
    return store


@contextlib.contextmanager
def _answered() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:  # what torch raises for a closed connection or a timeout
        raise TeamError(
            "another process of this training no longer answers",
            got=_cause(str(error)) or type(error).__name__,
            hint="the message of the process that failed first",
        ) from error


def _cause(text: str) -> str:
    """Return what happened, without the place in torch's source and its advice.

    Example:
        >>> _cause("[/torch/pair.cc:537] Read error [127.0.0.1]:3: Connection reset. This is ...")
        'Read error [127.0.0.1]:3: Connection reset'
    """
    lines = text.strip().splitlines()
    return re.sub(r"^\[\S+\]\s*", "", lines[-1]).partition(". ")[0] if lines else ""


def _leave() -> None:
    if dist.is_initialized():
        dist.destroy_process_group()

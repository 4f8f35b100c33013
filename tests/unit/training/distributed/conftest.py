"""Processes played by threads of one process."""

import threading

import pytest
import torch

from timegrain.core.errors import TimegrainError
from timegrain.training.distributed.team import Team


class Table:
    """Where the threads of a team lay their values down."""

    def __init__(self, size):
        self.barrier = threading.Barrier(size, timeout=20)
        self.values = [None] * size


class ThreadTeam(Team):
    """A team whose members exchange values through a table in memory."""

    def __init__(self, rank, table):
        super().__init__(rank=rank, size=len(table.values))
        object.__setattr__(self, "table", table)

    def gather(self, values):
        self.table.values[self.rank] = values.clone()
        self.table.barrier.wait()
        everyones = [v.clone() for v in self.table.values]
        self.table.barrier.wait()
        return everyones

    def add_up(self, values):
        values.copy_(torch.stack(self.gather(values)).sum(0))

    def spread(self, values):
        values.copy_(self.gather(values)[0])


@pytest.fixture
def in_threads():
    """Call a function with each member of a team, and return what each returned or raised."""

    def call(size, work):
        table, found = Table(size), [None] * size

        def member(rank):
            try:
                found[rank] = work(ThreadTeam(rank, table))
            except Exception as error:
                found[rank] = error
                # what all have found together all raise, some while others still leave the barrier
                if not isinstance(error, TimegrainError):
                    table.barrier.abort()

        threads = [threading.Thread(target=member, args=(rank,)) for rank in range(size)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found

    return call

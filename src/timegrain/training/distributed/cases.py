"""Cases that several processes score together."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float64, Int
from torch import Tensor

from timegrain.core.errors import ModelError

if TYPE_CHECKING:
    from timegrain.training.distributed.team import Team

Sums = tuple[Float64[np.ndarray, " case"], Float64[np.ndarray, " case"]]


def over_batches(
    work: Callable[[Int[Tensor, " chosen"]], Sums],
    n: int,
    *,
    batch_size: int,
    team: "Team | None" = None,
) -> Sums:
    """Return what is lost on each of `n` cases and what could be, some cases at a time.

    Of several processes each scores its share of the batches, which are those of one process, so
    that the numbers are the same.

    Args:
        work: Returns it for the cases of these numbers.
        n: How many there are.
        batch_size: Cases at once.
        team: The processes; None where this one is alone.

    Raises:
        ModelError: As `work` raises, in every process.
    """
    batches = torch.arange(n).split(batch_size)
    if team is None:
        sums = [work(index) for index in batches]
        lost, possible = (np.concatenate(column) for column in zip(*sums, strict=True))
        return lost, possible
    return _shared(work, batches, team)


def _shared(
    work: Callable[[Int[Tensor, " chosen"]], Sums],
    batches: Sequence[Int[Tensor, " chosen"]],
    team: "Team",
) -> Sums:
    found = torch.zeros(2, sum(map(len, batches)), dtype=torch.float64)
    failure: ModelError | None = None
    try:
        for i in team.share(len(batches)).tolist():
            found[:, batches[i]] = torch.from_numpy(np.stack(work(batches[i])))
    except ModelError as error:
        # told to the others, which would wait for this process otherwise
        failure = error
        found.fill_(torch.nan)
    team.add_up(found)  # of zeros but for one process's number
    if failure is not None:
        raise failure
    if bool(torch.isnan(found).any()):
        from timegrain.training.score import AnswerError

        raise AnswerError(
            "another process of this training cannot score its share of the cases",
            got="NaN",
            hint="the message of the process that failed first",
        )
    return found[0].numpy(), found[1].numpy()

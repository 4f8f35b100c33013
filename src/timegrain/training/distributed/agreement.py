"""Whether the processes of a training are at the same point of the same training."""

import hashlib
from collections.abc import Mapping

import torch
from torch import nn

from timegrain.core.errors import ConfigError
from timegrain.training.distributed.team import Team
from timegrain.training.trainer.network_state import unsaved_buffers


def check_agreement(team: Team, items: Mapping[str, object], *, hint: str) -> None:
    """Check that all processes have the same.

    Args:
        team: The processes; each calls this with the same names.
        items: What is compared, by its `repr`.
        hint: What to try where it is not the same.

    Raises:
        ConfigError: On every process, if an item differs; the text names the first.
    """
    marks = torch.tensor([_mark(value) for value in items.values()], dtype=torch.int64)
    everyones = team.gather(marks)
    for i, name in enumerate(items):
        differs = [rank for rank, other in enumerate(everyones) if other[i] != everyones[0][i]]
        if differs:
            raise ConfigError(
                f"the processes of this training differ in {name}",
                got=f"processes 0 and {differs[0]}",
                expected="the same in all",
                hint=hint,
            )


def share_weights(team: Team, model: nn.Module) -> None:
    """Give the first process's parameters and buffers to all.

    Args:
        team: The processes.
        model: The network, of the same shapes in each.
    """
    with torch.no_grad():
        for values in (*model.state_dict().values(), *unsaved_buffers(model).values()):
            if isinstance(values, torch.Tensor):
                # a view may be spread out in memory, and what is sent may not
                whole = values.contiguous()
                team.spread(whole)
                values.copy_(whole)


def _mark(value: object) -> int:
    found = hashlib.sha256(repr(value).encode()).digest()[:8]
    return int.from_bytes(found, "big", signed=True)

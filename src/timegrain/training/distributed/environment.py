"""What `torchrun` says to the processes that it starts."""

import os
from dataclasses import dataclass

from timegrain.core.errors import ConfigError

_NEEDED = ("WORLD_SIZE", "RANK", "MASTER_ADDR", "MASTER_PORT")


@dataclass(frozen=True, kw_only=True)
class Place:
    """Which of how many processes this is.

    Args:
        rank: 0 for the first, which prints and writes.
        size: How many there are.
    """

    rank: int
    size: int


def place_of_environment() -> Place | None:
    """Return the place of this process among several; None where it is alone.

    Raises:
        ConfigError: If `WORLD_SIZE` tells of several processes and what else is needed is missing.
    """
    said = os.environ.get("WORLD_SIZE", "1")
    if said == "1":
        return None
    missing = [name for name in _NEEDED if name not in os.environ]
    if missing:
        raise ConfigError(
            "this is to be one of several processes, but not which, or where the others are",
            got=f"WORLD_SIZE={said} without {', '.join(missing)}",
            hint="torchrun --nproc-per-node 2 -m timegrain ..., or unset WORLD_SIZE",
        )
    rank = os.environ["RANK"]
    if not (said.isdecimal() and rank.isdecimal() and int(rank) < int(said)):
        raise ConfigError(
            "a process is one of several by its number",
            got=f"RANK={rank}, WORLD_SIZE={said}",
            expected="0 <= RANK < WORLD_SIZE",
        )
    return Place(rank=int(rank), size=int(said))


def leads() -> bool:
    """Return whether this process prints and writes: alone, or the first of several.

    Raises:
        ConfigError: As `place_of_environment` raises.
    """
    place = place_of_environment()
    return place is None or place.rank == 0

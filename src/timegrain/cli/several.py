"""One voice where a command runs in several processes."""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from timegrain.core.errors import TimegrainError
from timegrain.training.distributed.environment import Place, place_of_environment

_GRACE = 2.0  # seconds in which torchrun ends this process, if the first one failed alike


@contextlib.contextmanager
def one_voice() -> Iterator[Place | None]:
    """Let the first of several processes alone print; yield which this is, None if it is alone.

    An error of another process comes late and says whose it is, so that one that all have alike is
    told once, by the first.

    Raises:
        ConfigError: If the environment tells of several processes, but not which this is.
    """
    place = place_of_environment()
    if place is None or place.rank == 0:
        yield place
        return
    with (
        Path(os.devnull).open("w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        try:
            yield place
        except TimegrainError as error:
            time.sleep(_GRACE)
            raise error.within(f"process {place.rank} of {place.size}") from error
        except Exception:
            time.sleep(_GRACE)
            raise

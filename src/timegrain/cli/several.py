"""One voice where a command runs in several processes."""

import contextlib
import io
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from timegrain.cli.wording import for_terminal
from timegrain.core.errors import ConfigError
from timegrain.training.distributed.environment import Place, place_of_environment

_SHARED = ("train",)  # the commands that several processes do together
_GRACE = 5.0  # seconds in which torchrun ends this process, if the first one failed alike


def in_one_voice(work: Callable[[Sequence[str]], int], arguments: Sequence[str]) -> int:
    """Do a command, and let the first of several processes alone print.

    An error of another process is printed late, so that one that all have alike is told once, by
    the first. Commands that are not shared are done by the first process alone.

    Args:
        work: Does it and returns the exit status, 2 for an error that it printed on stderr.
        arguments: The words after `timegrain`.
    """
    try:
        place = place_of_environment()
    except ConfigError as error:
        print(for_terminal(f"error: {error}"), file=sys.stderr)
        return 2
    if place is None or place.rank == 0:
        return work(arguments)
    if not arguments or arguments[0] not in _SHARED:
        return 0
    return _unheard(work, arguments, place)


def _unheard(work: Callable[[Sequence[str]], int], arguments: Sequence[str], place: Place) -> int:
    said = io.StringIO()
    with (
        Path(os.devnull).open("w", encoding="utf-8") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(said),
    ):
        status = work(arguments)
    if status == 2:
        time.sleep(_GRACE)
        text = said.getvalue()
        print(f"process {place.rank} of {place.size}: {text[max(text.rfind('error: '), 0) :]}",
              end="", file=sys.stderr)  # fmt: skip
    return status

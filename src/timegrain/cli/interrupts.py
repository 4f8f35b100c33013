"""What a command says when it is interrupted and can be resumed."""

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType


class Terminated(KeyboardInterrupt):
    """The system asked the process to end, as a queue does when its time is up."""


@contextlib.contextmanager
def resumable(output: Path | None) -> Iterator[None]:
    """Say how to go on when a training is interrupted, by Ctrl-C or by SIGTERM.

    Args:
        output: Where its snapshots are; None where it keeps none.
    """
    if output is None:
        yield
        return
    with _terminated():
        try:
            yield
        except KeyboardInterrupt:
            print(_how_to_go_on(output), file=sys.stderr)
            raise


def _how_to_go_on(output: Path) -> str:
    from timegrain.study.plan_file import PLAN_FILE
    from timegrain.study.unfinished import FOLDER, unfinished

    if not unfinished(output):
        if (output / FOLDER / PLAN_FILE).exists():
            return (
                "the training was too short for a snapshot, but the plan is measured\n"
                "Try the same command with --resume to begin it with that plan."
            )
        return "the training was too short for a snapshot; the same command begins it again"
    return (
        f"the training is kept in {output / FOLDER},\nbut for what followed its last snapshot\n"
        "Try the same command with --resume to go on."
    )


@contextlib.contextmanager
def _terminated() -> Iterator[None]:
    """Let SIGTERM raise, where this thread may decide so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _raise)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _raise(number: int, frame: FrameType | None) -> None:
    raise Terminated

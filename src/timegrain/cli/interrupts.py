"""What a command says when it is interrupted and can be resumed."""

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

_PATIENCE = 1.0  # seconds that a signal waits before that is said


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
    with _raising():
        try:
            yield
        except KeyboardInterrupt as stop:
            print(_how_to_go_on(output, stop), file=sys.stderr)
            raise


def _how_to_go_on(output: Path, stop: KeyboardInterrupt) -> str:
    from timegrain.study.plan_file import PLAN_FILE
    from timegrain.study.unfinished import FOLDER, unfinished
    from timegrain.training.trainer.interruption import KEPT

    notes = getattr(stop, "__notes__", [])
    lines = [note for note in notes if note != KEPT]
    if unfinished(output):
        upto = "up to its last step" if KEPT in notes else "but for what followed its last snapshot"
        lines += [f"the training is kept in {output / FOLDER},", upto]
        lines += ["Try the same command with --resume to go on."]
    elif (output / FOLDER / PLAN_FILE).exists():
        lines += ["the training was too short for a snapshot, but the plan is measured"]
        lines += ["Try the same command with --resume to begin it with that plan."]
    else:
        lines += ["the training was too short for a snapshot; the same command begins it again"]
    return "\n".join(lines)


class _Raises:
    """What a signal does: raise, and say so where that has to wait for a long step."""

    def __init__(self, error: type[KeyboardInterrupt]) -> None:
        self._error = error
        self._timer = threading.Timer(_PATIENCE, _say_waiting)
        self._timer.daemon = True

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.forget()
        raise self._error

    def postponed(self) -> None:
        """Say in a while that it waits; not at once, since most steps are short."""
        self._timer.start()

    def forget(self) -> None:
        """Say nothing, where it was not said yet."""
        self._timer.cancel()


def _say_waiting() -> None:
    print("... ends after this step; Ctrl-C again ends at once", file=sys.stderr, flush=True)


@contextlib.contextmanager
def _raising() -> Iterator[None]:
    """Let SIGINT and SIGTERM raise, where this thread may decide so and they are not ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    wanted = {signal.SIGINT: KeyboardInterrupt, signal.SIGTERM: Terminated}
    ours = {
        number: _Raises(error)
        for number, error in wanted.items()
        if signal.getsignal(number) != signal.SIG_IGN
    }
    before = {number: signal.signal(number, raises) for number, raises in ours.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
            ours[number].forget()

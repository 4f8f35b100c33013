"""Progress of a study on stderr: one changing line on a terminal, plain lines elsewhere."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from timegrain.study.progress import ProgressEvent

_WIDTH = 79


def cut_short(kind: type[BaseException] | None) -> str:
    """Return what ended a step before its end: `interrupted`, `failed`, or nothing.

    Args:
        kind: Of the exception, if there was one.
    """
    if kind is None:
        return ""
    return "failed" if issubclass(kind, Exception) else "interrupted"


class Progress:
    """A callable that shows `ProgressEvent`s on stderr, used as a context manager.

    On a terminal the current step is one line that changes; when a step ends, it stays with its
    time. Where stderr is a file, each step is one line when it ends.
    """

    def __init__(self) -> None:
        self._label = ""
        self._started = 0.0
        self._live = sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end_step(cut=cut_short(kind))

    def __call__(self, event: "ProgressEvent") -> None:
        """Show the event."""
        label = f"[{event.step}/{event.steps}] {event.label}"
        if label != self._label:
            self._end_step()
            self._label, self._started = label, time.perf_counter()
        if self._live:
            left = "" if event.seconds_left is None else f", {event.seconds_left:.0f} s left"
            detail = f"  {event.detail}{left}" if event.detail else ""
            self._write(f"\r{(label + detail)[:_WIDTH].ljust(_WIDTH)}")

    def _end_step(self, *, cut: str = "") -> None:
        if self._label:
            took = f"{time.perf_counter() - self._started:.1f} s"
            if cut:
                took = f"{cut} after {took}"
            room = _WIDTH - 1 - max(8, len(took))
            line = f"{self._label[:room].ljust(room)} {took:>8}"
            self._write(f"\r{line}\n" if self._live else f"{line}\n")
        self._label = ""

    @staticmethod
    def _write(text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()

"""Progress of a study on stderr: one changing line on a terminal, plain lines elsewhere."""

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

from timegrain.cli.compiling import CompileClock, work_text

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

    Args:
        compiling: Of the kernels that are compiled meanwhile, whose seconds are told apart.
    """

    def __init__(self, compiling: CompileClock | None = None) -> None:
        self._label = ""
        self._compiling = CompileClock() if compiling is None else compiling
        self._started = self._compiled = 0.0
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
            self._label = label
            self._started, self._compiled = self._compiling.work(), self._compiling()
        if self._live:
            left = "" if event.seconds_left is None else f", {event.seconds_left:.0f} s left"
            detail = f"  {event.detail}{left}" if event.detail else ""
            self._write(f"\r{(label + detail)[:_WIDTH].ljust(_WIDTH)}")

    def _end_step(self, *, cut: str = "") -> None:
        if self._label:
            seconds = self._compiling.work() - self._started
            took = work_text(seconds, self._compiling() - self._compiled)
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

"""Progress of trainings: a live table on a terminal, plain lines elsewhere."""

import os
import sys
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Self

from timegrain.cli.compiling import CompileClock
from timegrain.cli.progress import Progress, cut_short
from timegrain.cli.stage_board import StageBoard

if TYPE_CHECKING:
    from rich.live import Live

    from timegrain.study.progress import ProgressEvent


def training_progress(compiling: CompileClock | None = None) -> "Progress | LiveBoards":
    """Return what shows trainings on stderr, as far as stderr can show them.

    Args:
        compiling: As `Progress` takes it.
    """
    can_move = sys.stderr.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown")
    return LiveBoards(compiling) if can_move else Progress(compiling)


class LiveBoards(AbstractContextManager["LiveBoards"]):
    """A callable that shows each training of a study as a table, used as a context manager.

    The table of the training under way changes; when it ends, it stays.

    Args:
        compiling: As `Progress` takes it.
    """

    def __init__(self, compiling: CompileClock | None = None) -> None:
        self._clock = (CompileClock() if compiling is None else compiling).work
        self._label = ""
        self._board: StageBoard | None = None
        self._live: Live | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end(cut=cut_short(kind))

    def __call__(self, event: "ProgressEvent") -> None:
        """Show the event."""
        label = f"[{event.step}/{event.steps}] {event.label}"
        if label != self._label:
            self._end()
            self._label = label
        if event.training is None:
            return
        if self._board is None:
            self._begin(StageBoard(label, event.training, clock=self._clock))
        else:
            self._board.see(event)

    def _begin(self, board: StageBoard) -> None:
        from rich.console import Console
        from rich.live import Live

        self._board = board
        self._live = Live(board, console=Console(stderr=True), refresh_per_second=2)
        self._live.start(refresh=True)

    def _end(self, *, cut: str = "") -> None:
        if self._board is not None and self._live is not None:
            self._board.finish(cut=cut)
            self._live.stop()
        self._board = self._live = None

"""Signals that end a training, held back until it can be resumed where it is."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Protocol, runtime_checkable

from timegrain.core.errors import ResultError
from timegrain.training.trainer.keeper import Keeper

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
KEPT = "A snapshot was written after the last step: resume=True goes on from there."


@runtime_checkable
class Postponable(Protocol):
    """A handler of a signal that wants to know when it is called later."""

    def postponed(self) -> None:
        """Take note that the signal waits for the end of a step."""
        ...


class Interruption:
    """Lets a training end between two steps, and keeps where it is.

    The handlers of SIGINT and SIGTERM that are there, if they are functions, are called when the
    step under way is done; a second signal calls them at once. Elsewhere than in the main thread,
    where Python handles no signal, nothing is held back.

    Args:
        keeper: Writes the snapshot.
    """

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._handlers: dict[int, Any] = {}
        self._waiting: tuple[int, FrameType | None] | None = None
        self._inside = False
        self._whole = True

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Hold signals back in the block; where one ends it between two steps, write a snapshot.

        What is raised has a note that it was written, or why it could not be.
        """
        self._take_over()
        try:
            yield
        except KeyboardInterrupt as stop:
            if self._whole:
                self._keep(stop)
            raise
        finally:
            for number, handler in self._handlers.items():
                signal.signal(number, handler)
            self._handlers = {}

    @contextmanager
    def step(self) -> Iterator[None]:
        """Change the training in the block, at whose end it can be resumed again."""
        self._whole, self._inside = False, True
        try:
            yield
        finally:
            self._inside = False
        self._whole = True
        if self._waiting is not None:
            (number, frame), self._waiting = self._waiting, None
            self._handlers[number](number, frame)

    def _take_over(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        for number in _SIGNALS:
            found = signal.getsignal(number)
            if callable(found):
                self._handlers[number] = found
                signal.signal(number, self._receive)

    def _receive(self, number: int, frame: FrameType | None) -> None:
        handler = self._handlers[number]
        if not self._inside or self._waiting is not None:
            handler(number, frame)
            return
        self._waiting = number, frame
        if isinstance(handler, Postponable):
            handler.postponed()

    def _keep(self, stop: KeyboardInterrupt) -> None:
        try:
            self._keeper.keep()
        except ResultError as error:
            stop.add_note(f"No snapshot was written: {error}")
        else:
            stop.add_note(KEPT)

"""Say on stderr what a reader waits for: kernels that are compiled, once."""

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Any

SAID = "... compiling kernels for this machine, once; this takes up to a few minutes"


def tell(text: str) -> None:
    """Print a line of progress on stderr."""
    print(f"... {text}", file=sys.stderr, flush=True)


class CompileClock:
    """Seconds that went into compiling kernels, so that other clocks can leave them out."""

    def __init__(self) -> None:
        self._spent, self._began, self._depth = 0.0, 0.0, 0

    def __call__(self) -> float:
        """Return the seconds so far; while a kernel is compiled they grow."""
        return self._spent + (time.perf_counter() - self._began if self._depth else 0.0)

    def work(self) -> float:
        """Return a time in seconds that stands still while kernels are compiled."""
        return time.perf_counter() - self()

    def begin(self) -> None:
        """Begin a kernel; one may be compiled for another."""
        if not self._depth:
            self._began = time.perf_counter()
        self._depth += 1

    def end(self) -> None:
        """End a kernel."""
        self._depth -= 1
        if not self._depth:
            self._spent += time.perf_counter() - self._began


def work_text(seconds: float, compiled: float) -> str:
    """Return seconds of work, with those of compiling named where there are any.

    Example:
        >>> work_text(5.84, 0.0), work_text(5.84, 20.7)
        ('5.8 s', '5.8 s + 21 s compiling')
    """
    beside = f" + {compiled:.0f} s compiling" if compiled >= 0.5 else ""
    return f"{seconds:.1f} s{beside}"


@contextlib.contextmanager
def tells_of_compiling() -> Iterator[CompileClock]:
    """Print one line on stderr when the first kernel is compiled within the block; none if none is.

    Kernels that are read from the cache on disk are not compiled. Gives the clock of what is.
    """
    clock = CompileClock()
    try:
        from numba.core import event
    except ImportError:  # layers run on torch's own operations then
        yield clock
        return

    class Compilations(event.Listener):
        """Hears of every compilation."""

        said = False

        def on_start(self, event: Any) -> None:
            clock.begin()
            if not self.said:
                self.said = True
                print(SAID, file=sys.stderr, flush=True)

        def on_end(self, event: Any) -> None:
            clock.end()

    listener = Compilations()
    event.register("numba:compile", listener)
    try:
        yield clock
    finally:
        event.unregister("numba:compile", listener)

"""Say on stderr what a reader waits for: kernels that are compiled, once."""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

SAID = "... compiling kernels for this machine, once; this takes up to a few minutes"


def tell(text: str) -> None:
    """Print a line of progress on stderr."""
    print(f"... {text}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def tells_of_compiling() -> Iterator[None]:
    """Print one line on stderr when the first kernel is compiled within the block; none if none is.

    Kernels that are read from the cache on disk are not compiled.
    """
    try:
        from numba.core import event
    except ImportError:  # layers run on torch's own operations then
        yield
        return

    class First(event.Listener):
        """Hears of the first compilation."""

        said = False

        def on_start(self, event: Any) -> None:
            if not self.said:
                self.said = True
                print(SAID, file=sys.stderr, flush=True)

        def on_end(self, event: Any) -> None:
            """Nothing is said at the end."""

    listener = First()
    event.register("numba:compile", listener)
    try:
        yield
    finally:
        event.unregister("numba:compile", listener)

"""How long a model takes, on a machine that others use too."""

import time

WAITING = 5  # seconds by the clock that count as one of the processor: it may be shared by so many


class Stopwatch:
    """Measures seconds from where it was made.

    A model that sleeps, or waits for a disk or another machine, needs no processor, so both
    clocks are looked at.
    """

    def __init__(self) -> None:
        self._worked, self._passed = time.process_time(), time.perf_counter()

    def worked(self) -> float:
        """Return the seconds that the processor worked."""
        return time.process_time() - self._worked

    def waited(self) -> float:
        """Return a fifth of the seconds that passed."""
        return (time.perf_counter() - self._passed) / WAITING

    def seconds(self) -> float:
        """Return the larger of both."""
        return max(self.worked(), self.waited())

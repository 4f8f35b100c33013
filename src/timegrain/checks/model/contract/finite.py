"""Long and loud inputs have an output, in every precision."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import torch

from timegrain.checks.model.row import CheckRow, failed, not_applicable, passed
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.stopwatch import WAITING, Stopwatch
from timegrain.checks.model.subject import Subject
from timegrain.continuity.model.attempt import first_line
from timegrain.core.errors import ModelError
from timegrain.models.capacity import available_memory

# what torch says of operations that oneDNN has for other processors, such as an LSTM in bfloat16
NO_PRIMITIVE = "could not create a primitive"
FIRST, GROWTH, WARM_UP = 1024, 4, 64
_RUNS = {
    "float32": "running it in float32: buffers and constants take the type of the input",
    "float64": "running it in float64: buffers and constants take the type of the input",
    "bfloat16": "running it under torch.autocast: a cast to float32 before what takes no bfloat16",
}
CURE = "exponents that cannot grow (real parts below 0), and sums in float32 under autocast"


def check_finite(subject: Subject, settings: Settings) -> Iterator[CheckRow]:
    """Look for NaN and infinity at amplitude 100 and length 65,536: float32, float64, bfloat16.

    One sequence. A model whose time or memory grows with the square of the length, so that this
    would take too much, is checked on the longest sequence that it can be, and the row says so.
    """
    cases = [("float32", torch.float32), ("float64", torch.float64), ("bfloat16", torch.float32)]
    for case, dtype in cases:
        if subject.module is None and case != _name(subject.dtype):
            yield not_applicable("a function computes in what it was written for", case=case)
            continue
        if case == "float64" and subject.dtype != torch.float64:
            yield not_applicable(f"it computes in {_name(subject.dtype)}", case=case)
            continue
        # what one precision has no time for may be quick in another
        reach = _Reach(settings.longest, settings.patience)
        try:
            yield _look(subject.to(dtype), case, settings.amplitude, reach)
        except ModelError as error:
            if case == "bfloat16" and NO_PRIMITIVE in first_line(error):
                yield not_applicable(f"torch cannot, on this processor: {NO_PRIMITIVE}", case=case)
                continue
            yield failed(first_line(error), case=case, cure=error.hint or _RUNS[case])


@dataclass
class _Reach:
    """How long a sequence can be, found on the way up.

    Args:
        longest: Samples wanted.
        patience: Seconds of processor time, or five of waiting, that one pass may be expected to
            take.
    """

    longest: int
    patience: float
    why: str = ""
    last: float = 0.0

    def lengths(self) -> Iterator[int]:
        """Yield lengths, four times as long each, until the next would take too much."""
        length = min(FIRST, self.longest)
        while True:
            before = _peak()
            watch = Stopwatch()
            yield length
            seconds = watch.seconds()
            if length == self.longest:
                return
            if self._expected(seconds) > self.patience:  # the first call builds something, maybe
                watch = Stopwatch()
                yield length
                seconds = min(seconds, watch.seconds())
            if self._too_much(seconds, _peak() - before):
                self.longest = length
                return
            self.last = seconds
            length = min(GROWTH * length, self.longest)

    def _expected(self, seconds: float) -> float:
        """Return what the next length should take: four to sixteen times as much."""
        growth = seconds / self.last if self.last else GROWTH
        return seconds * min(max(growth, GROWTH), GROWTH**2)

    def _too_much(self, seconds: float, memory: int) -> bool:
        expected = self._expected(seconds)
        if expected > self.patience:
            self.why = (
                f"four times as many would take about {expected:.0f} s of processor time, or "
                f"{WAITING * expected:.0f} s of waiting"
            )
        elif GROWTH**2 * memory > available_memory() / 2:
            self.why = "four times as many might not fit into memory"
        return bool(self.why)


def _look(subject: Subject, case: str, amplitude: float, reach: _Reach) -> CheckRow:
    length = 0
    _finite(subject, case, amplitude, WARM_UP)  # what the first call builds is not timed
    for length in reach.lengths():
        if not _finite(subject, case, amplitude, length):
            return failed(f"NaN or infinity at {length:,} samples", case=case, cure=CURE)
    loud = "" if subject.inputs.tokens else f" at amplitude {amplitude:g}"
    said = f"{length:,} samples{loud}"
    return passed(case=case, reason=f"{said}; {reach.why}" if reach.why else said)


def _finite(subject: Subject, case: str, amplitude: float, length: int) -> bool:
    x = subject.draw(1, length)
    x = x if subject.inputs.tokens else amplitude * x
    with torch.no_grad(), _precision(case, subject.device):
        return bool(torch.isfinite(subject(x)).all())


def _precision(case: str, device: torch.device) -> AbstractContextManager[object]:
    if case != "bfloat16":
        return nullcontext()
    return torch.autocast(device.type, dtype=torch.bfloat16)


def _peak() -> int:
    """Return the most bytes this process has had so far; 0 where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")

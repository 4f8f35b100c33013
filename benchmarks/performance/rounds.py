"""Contenders in turns: what is timed, how often, and what is said of it."""

import statistics
import time
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Sizes of a run."""

    rounds: int = 9
    quick: bool = False  # every size cut down: a test that it runs, no measurement


@dataclass(frozen=True, kw_only=True)
class Row:
    """One figure of the page: a time, beside another or alone."""

    what: str
    unit: str
    value: float
    low: float
    high: float
    rounds: int
    other: str | None = None
    other_value: float | None = None
    ratio: float | None = None  # median of the ratios within rounds
    ratio_low: float | None = None
    ratio_high: float | None = None
    target: str | None = None
    met: bool | None = None


@dataclass(kw_only=True)
class Section:
    """What one file of this folder measured."""

    title: str
    text: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def to_dict(self):
        return asdict(self)


def time_rounds(contenders, rounds, every=None, warm=()):
    """Return seconds by contender, each run once a round after one call that is not counted.

    Args:
        contenders: Functions without arguments by name.
        rounds: Number of rounds.
        every: How many rounds lie between two runs of a contender, by name, where not 1; a round
            that it sits out is None.
        warm: Names of those that have had their first call.
    """
    every = every or {}
    for name, run in contenders.items():
        if name not in warm:
            run()
    seconds = {name: [] for name in contenders}
    for turn in range(rounds):
        for name, run in contenders.items():
            if turn % every.get(name, 1):
                seconds[name].append(None)
                continue
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def alone(what, seconds, unit="ms"):
    """Return the row of one contender."""
    values = [_in(unit, s) for s in seconds if s is not None]
    return Row(
        what=what,
        unit=unit,
        value=statistics.median(values),
        low=min(values),
        high=max(values),
        rounds=len(values),
    )


def beside(what, other, ours, theirs, *, at_least=None, unit="ms"):
    """Return the row of one contender against another; ratios are formed within rounds."""
    pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if None not in (a, b)]
    ratios = [b / a for a, b in pairs]
    row = asdict(alone(what, [a for a, _ in pairs], unit))
    ratio = statistics.median(ratios)
    return Row(
        **{
            **row,
            "other": other,
            "other_value": _in(unit, statistics.median(b for _, b in pairs)),
            "ratio": ratio,
            "ratio_low": min(ratios),
            "ratio_high": max(ratios),
            "target": None if at_least is None else f">= {at_least:g}x",
            "met": None if at_least is None else ratio >= at_least,
        }
    )


def within(what, values, unit, *, low=None, high=None):
    """Return the row of measured numbers whose median should lie between two bounds."""
    median = statistics.median(values)
    met = None
    if low is not None or high is not None:
        met = (low is None or median >= low) and (high is None or median <= high)
    if low is None:
        target = None if high is None else f"<= {high:g}"
    else:
        target = f">= {low:g}" if high is None else f"{low:g} to {high:g}"
    return Row(
        what=what,
        unit=unit,
        value=median,
        low=min(values),
        high=max(values),
        rounds=len(values),
        target=target,
        met=met,
    )


def _in(unit, seconds):
    return seconds * {"ms": 1e3, "s": 1.0, "ns": 1e9}[unit]


def compare(ours, theirs, bound, names):
    """Stop unless all tensors agree to `bound` of the largest value; return the worst."""
    worst = 0.0
    for name, a, b in zip(names, ours, theirs, strict=True):
        gap = float((a - b).abs().max() / b.abs().max())
        if not gap < bound:
            raise SystemExit(
                f"{name} differs: {gap:.1e} of the largest value, not below {bound:.1e}"
            )
        worst = max(worst, gap)
    return worst


def gradients(function, tensors, upstream):
    """Return the value of a function and its gradients to `tensors`."""
    for tensor in tensors:
        tensor.grad = None
    y = function()
    y.backward(upstream)
    return [y.detach(), *(t.grad for t in tensors)]


def training(function, tensors, upstream):
    """Return a function that runs forward and backward, gradients fresh each time."""

    def run():
        for tensor in tensors:
            tensor.grad = None
        function().backward(upstream)

    return run

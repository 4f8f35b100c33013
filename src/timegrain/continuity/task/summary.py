"""`TaskContinuity` in ten lines for people."""

import math
from typing import TYPE_CHECKING

from timegrain.core.outcome import Outcome
from timegrain.core.table import number
from timegrain.stats.bootstrap import MIN_BOOTSTRAP_CASES

if TYPE_CHECKING:
    from timegrain.continuity.task.result import TaskContinuity

_SMOOTHNESS = (
    (3.5, "twice differentiable"),
    (2.5, "kinks"),
    (1.5, "between Brownian motion and a smooth curve"),
    (0.6, "like Brownian motion, or jumps"),
    (0.0, "close to noise"),
)


def summary_lines(result: "TaskContinuity") -> list[tuple[str, str]]:
    """Return `(label, text)` lines of a result."""
    lines = [
        ("continuity", _continuity(result)),
        ("D at stride", _profile(result)),
        ("outcome", _outcome(result)),
    ]
    if result.outcome is not Outcome.CONSTANT:
        lines += [
            ("exponent", _exponent(result)),
            ("noise share", _nugget(result)),
            ("horizon", _horizon(result)),
            ("worst channel", _worst(result)),
            ("events", _events(result)),
        ]
    return [*lines, ("window", _window(result)), ("data", _data(result))]


def horizon_text(horizon: int, is_open: bool) -> str:
    """Return `64`, or `>=64` when every listed stride passes.

    Example:
        >>> horizon_text(64, True)
        '>=64'
    """
    return f">={horizon}" if is_open else str(horizon)


def _continuity(r: "TaskContinuity") -> str:
    if r.continuity is None:
        return "-"
    digits = _digits(r.continuity)
    text = f"{r.continuity:.{digits}f}"
    if abs(1 - r.continuity) < 1e-9:
        return "1 to nine digits: every other sample lies on the line between its neighbours"
    if r.interval is None:
        return f"{text} (no interval: {r.reasons['interval']})"
    low, high = r.interval
    way = "bootstrap" if r.n_groups >= MIN_BOOTSTRAP_CASES else "Student's t"
    many = _count(r.n_groups, r.group)
    return f"{text} [{low:.{digits}f}, {high:.{digits}f}] (95 %, {way} over {many})"


def _outcome(r: "TaskContinuity") -> str:
    name = r.outcome.name
    return name if r.outcome is Outcome.MEASURED else f"{name}: {r.outcome.message}"


def _digits(continuity: float) -> int:
    """Enough digits to show how far from 1 it is."""
    gap = abs(1 - continuity)
    return 3 if gap >= 0.01 else min(9, 1 - math.floor(math.log10(max(gap, 1e-9))))


def _profile(r: "TaskContinuity") -> str:
    cells = [f"{k}: {number(d, 2)}" for k, d in r.discontinuity.items()]
    return "  ".join(cells) if cells else "-"


def _exponent(r: "TaskContinuity") -> str:
    if r.exponent is None:
        return f"- ({r.reasons['exponent']})"
    word = next(w for least, w in _SMOOTHNESS if r.exponent >= least)
    return f"{r.exponent:.2f} ({word})"


def _nugget(r: "TaskContinuity") -> str:
    if r.nugget is None:
        return "-" if r.exponent is None else f"- ({r.reasons['nugget']})"
    return f"{number(100 * r.nugget, 2)} % of the variance"


def _horizon(r: "TaskContinuity") -> str:
    limit = f"{number(100 * r.tolerance)} %"
    if r.horizon == 1:
        return f"1 sample: every second one alone loses more than {limit}, noise set aside"
    text = f"{horizon_text(r.horizon, r.horizon_open)} samples"
    if r.unit != "sample":
        text += f", {'>=' if r.horizon_open else ''}{number(r.horizon_time)} {r.unit}"
    return f"{text} (at most {limit} lost, noise set aside)"


def _worst(r: "TaskContinuity") -> str:
    if len(r.channels) == 1:
        return "the only channel"
    worst = next(c for c in r.channels if c.name == r.worst_channel)
    horizons = sorted(c.horizon for c in r.channels if c.outcome is not Outcome.CONSTANT)
    middle = horizons[len(horizons) // 2]
    gap = "-" if worst.continuity is None else f"{worst.continuity:.3g}"
    return f"{worst.name} (continuity {gap}); the middle one has horizon {middle}"


def _events(r: "TaskContinuity") -> str:
    if r.intermittency is None:
        return f"- ({r.reasons['intermittency']})"
    text = f"intermittency {r.intermittency:.2f} (0 Gaussian, 1 jumps)"
    if r.event_error is None:
        return text
    error = number(100 * r.event_error, 2)
    return f"{text}; 1 error in 100 above {error} % of the range at the horizon"


def _window(r: "TaskContinuity") -> str:
    if r.window is None:
        mean = r.n_samples / r.n_pieces
        text, left_over = f"whole sequences, {mean:,.0f} samples on average", "sequence"
    else:
        text = f"{_count(r.n_pieces, 'piece')} of {_count(r.window, 'sample')}"
        left_over = "remainder"
        if r.unit != "sample":
            text += f", {number(r.window * r.dt)} {r.unit}"
    if r.n_dropped:
        text += f"; {_count(r.n_dropped, left_over)} dropped"
    return text + (", variation about each one's line" if r.detrend else "")


def _data(r: "TaskContinuity") -> str:
    word = "symbol" if r.kind_of_data == "tokens" else "sample"
    parts = [
        _count(r.n_sequences, "sequence"),
        _count(r.n_samples, word),
        _count(len(r.channels), "channel"),
    ]
    if r.n_missing:
        parts += [
            _count(r.n_missing, "value") + " missing",
            _count(r.n_skipped, "triple") + " skipped",
        ]
    return ", ".join(parts)


def _count(n: int, word: str) -> str:
    return f"{n:,} {word}{'' if n == 1 else 's'}"

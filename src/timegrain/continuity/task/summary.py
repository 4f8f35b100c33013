"""`TaskContinuity` in ten lines for people."""

import math
from typing import TYPE_CHECKING

from timegrain.continuity.task.familiar.line import familiar_line
from timegrain.continuity.task.horizon_words import horizon_line, horizons_line
from timegrain.core.outcome import Outcome
from timegrain.core.table import number
from timegrain.data.audit.summary import audit_lines
from timegrain.data.units import duration_text, plural
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
    if result.outcome is not Outcome.MEASURED:
        lines.append(("try", _cure(result)))
    if result.outcome is not Outcome.CONSTANT:
        lines += [
            ("exponent", _exponent(result)),
            ("noise share", _nugget(result)),
            ("horizon", horizon_line(result)),
            *([("horizons", horizons_line(result))] if len(result.channels) > 1 else []),
            ("events", _events(result)),
            ("spectrum", familiar_line(result)),
        ]
    return [
        *lines,
        ("window", _window(result)),
        ("data", _data(result)),
        *audit_lines(result.audits, kept=bool(result.provenance.parameters.get("irregular"))),
    ]


def _continuity(r: "TaskContinuity") -> str:
    if r.continuity is None:
        return "-"
    digits = _digits(r.continuity)
    text = f"{r.continuity:.{digits}f}"
    if _is_line(r):
        return "1 to nine digits: every other sample lies on the line between its neighbours"
    if r.interval is None:
        return f"{text} (no interval: {r.reasons['interval']})"
    low, high = r.interval
    way = "bootstrap" if r.n_groups >= MIN_BOOTSTRAP_CASES else "Student's t"
    many = _count(r.n_groups, r.group)
    return f"{text} [{low:.{digits}f}, {high:.{digits}f}] (95 %, {way} over {many})"


def _outcome(r: "TaskContinuity") -> str:
    if r.outcome is Outcome.MEASURED:
        return r.outcome.name
    few = r.outcome is Outcome.TOO_FEW_LEVELS
    return f"{r.outcome.name}: {r.reasons['exponent'] if few else r.outcome.message}"


def _cure(r: "TaskContinuity") -> str:
    if r.outcome is not Outcome.TOO_FEW_LEVELS:
        return r.outcome.cure
    if _is_line(r):
        return "longer strides, at which the data bend"
    return "strides closer together, such as 2,3,4,6,8, or longer sequences"


def _is_line(r: "TaskContinuity") -> bool:
    return r.continuity is not None and abs(1 - r.continuity) < 1e-9


def _digits(continuity: float) -> int:
    """Enough digits to show how far from 1 it is."""
    gap = abs(1 - continuity)
    return 3 if gap >= 0.01 else min(9, 1 - math.floor(math.log10(max(gap, 1e-9))))


def _profile(r: "TaskContinuity") -> str:
    cells = [f"{k}: {number(d, 2)}" for k, d in r.discontinuity.items()]
    moving = sum(c.continuity is not None for c in r.channels)
    mean = f"  (mean of {moving} channels)" if moving > 1 else ""
    return "  ".join(cells) + mean if cells else "-"


def _exponent(r: "TaskContinuity") -> str:
    if r.exponent is None:
        few = r.outcome is Outcome.TOO_FEW_LEVELS
        return "-" if few else f"- ({r.reasons['exponent']})"
    word = next(w for least, w in _SMOOTHNESS if r.exponent >= least)
    return f"{r.exponent:.2f} ({word})"


def _nugget(r: "TaskContinuity") -> str:
    if r.nugget is None:
        return "-" if r.exponent is None else f"- ({r.reasons['nugget']})"
    return (
        f"{number(100 * r.nugget, 2)} % of the variance: noise, quantisation, or content too fast "
        "for the samples to show"
    )


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
            text += f", {duration_text(r.window * r.dt, r.unit)}"
        hop = r.provenance.parameters.get("hop")
        text += "" if hop is None else f", one every {hop:,}"
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
    text = ", ".join(parts)
    if r.n_missing:
        total = "" if r.n_triples is None else f" of {r.n_triples:,}"
        text += (
            f"; {_count(r.n_missing, 'value')} missing; {r.n_skipped:,}{total} comparisons touched "
            "them and were left out"
        )
    return text


def _count(n: int, word: str) -> str:
    return f"{n:,} {plural(word, n)}"

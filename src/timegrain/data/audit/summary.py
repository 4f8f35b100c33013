"""The audits of all recordings of a dataset in a few lines for people."""

from collections import Counter
from collections.abc import Sequence

from timegrain.core.table import number
from timegrain.data.audit.clock import BRIDGED, DIFFERENT
from timegrain.data.audit.result import TimestampAudit
from timegrain.data.audit.words import RESAMPLED, SUMMER_TIME, duration, is_special
from timegrain.data.units import SECONDS


def audit_lines(audits: Sequence[TimestampAudit], *, kept: bool) -> list[tuple[str, str]]:
    """Return `(label, text)` lines: the steps, then one line a finding; nothing without audits.

    Args:
        audits: One a recording.
        kept: Whether times were kept, as opposed to a uniform grid in their place.
    """
    if not audits:
        return []
    found = [
        ("timestamps", _steps(audits, kept)),
        ("gaps", _gaps(audits)),
        ("resets", _resets(audits)),
        ("repeats", _repeats(audits)),
        ("zones", _zones(audits)),
        ("missing", _missing(audits)),
        *(("done", text) for text in _special(audits)),
    ]
    return [(label, text) for label, text in found if text]


def _steps(audits: Sequence[TimestampAudit], kept: bool) -> str:
    steps = sorted(a.step for a in audits)
    unit = audits[0].unit
    middle = steps[len(steps) // 2]
    text = f"a step of {duration(middle, unit)}{_rate(middle, unit)}"
    if steps[-1] > (1 + DIFFERENT) * steps[0]:
        text = f"steps of {duration(steps[0], unit)} to {duration(steps[-1], unit)}"
    if len(audits) > 1:
        text = f"{len(audits):,} recordings, {text}"
    jitter = max(a.jitter for a in audits)
    if jitter > 1e-6:
        most = "at most " if len(audits) > 1 else ""
        text += f", jitter {most}{number(100 * jitter, 2)} % of it"
    uneven = sum(not a.regular for a in audits)
    if uneven:
        text += ", irregular" if len(audits) == 1 else f", {uneven:,} of them irregular"
    done = "every step has its own weight" if kept else "taken for a uniform grid"
    resampled = next((a for a in audits[0].actions if a.startswith(RESAMPLED)), done)
    return f"{text}: {resampled}"


def _rate(step: float, unit: str) -> str:
    if unit not in SECONDS or step * SECONDS[unit] >= 1:
        return ""
    return f" ({number(1 / (step * SECONDS[unit]))} Hz)"


def _gaps(audits: Sequence[TimestampAudit]) -> str:
    n = sum(a.n_gaps for a in audits)
    if not n:
        return ""
    worst = max(audits, key=lambda a: a.longest_gap)
    text = f"{_count(n, 'gap')}{_in(audits, 'n_gaps')}, {duration(worst.longest_gap, worst.unit)}"
    if n > 1:
        total = duration(sum(a.gap_time for a in audits), worst.unit)
        text = (
            f"{_count(n, 'gap')}{_in(audits, 'n_gaps')}, {total} in all, the longest "
            f"{duration(worst.longest_gap, worst.unit)}{_of(worst, audits)}"
        )
    rows = _count(sum(a.n_missing_rows for a in audits), "row")
    if any(BRIDGED in action for a in audits for action in a.actions):
        return f"{text}: {rows} missing, short ones bridged, the others left open"
    return f"{text}: {rows} missing, left open, no line is drawn across"


def _resets(audits: Sequence[TimestampAudit]) -> str:
    n = sum(a.n_resets for a in audits)
    if not n:
        return ""
    worst = max(audits, key=lambda a: a.n_resets)
    where = _in(audits, "n_resets") if n > 1 else _of(worst, audits)
    return f"{_count(n, 'step')} back in time{where}: cut there{_summer(audits)}"


def _repeats(audits: Sequence[TimestampAudit]) -> str:
    n = sum(a.n_duplicates for a in audits)
    if not n:
        return ""
    hint = "" if any(a.n_resets for a in audits) else _summer(audits)
    where = _in(audits, "n_duplicates")
    return f"{_count(n, 'row')}{where} with the time of the row before: averaged with it{hint}"


def _zones(audits: Sequence[TimestampAudit]) -> str:
    n = sum(a.n_zone_changes for a in audits)
    if not n:
        return ""
    return f"the offset from UTC changes {_count(n, 'time')}: times were converted to UTC"


def _missing(audits: Sequence[TimestampAudit]) -> str:
    expected = [a.n_rows - a.n_duplicates + a.n_missing_rows for a in audits]
    empty = sum(a.share_missing * n for a, n in zip(audits, expected, strict=True))
    share = empty / sum(expected)
    return f"{number(100 * share, 2)} % of all values, those in gaps included" if share else ""


def _special(audits: Sequence[TimestampAudit]) -> list[str]:
    said = Counter(text for a in audits for text in a.actions if is_special(text))
    many = len(audits) > 1
    return [
        f"{text} ({_count(n, 'recording')})" if many else text for text, n in said.most_common(4)
    ]


def _summer(audits: Sequence[TimestampAudit]) -> str:
    return f"; {SUMMER_TIME}" if any(SUMMER_TIME in t for a in audits for t in a.actions) else ""


def _in(audits: Sequence[TimestampAudit], field: str) -> str:
    if len(audits) == 1:
        return ""
    return f" in {_count(sum(bool(getattr(a, field)) for a in audits), 'recording')}"


def _of(audit: TimestampAudit, audits: Sequence[TimestampAudit]) -> str:
    return f" ({audit.recording})" if len(audits) > 1 else ""


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"

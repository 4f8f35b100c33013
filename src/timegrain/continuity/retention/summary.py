"""`LabelRetention` in lines for people."""

from typing import TYPE_CHECKING

from timegrain.core.outcome import Outcome
from timegrain.core.table import number
from timegrain.data.units import duration_text, plural
from timegrain.stats.bootstrap import MIN_BOOTSTRAP_CASES
from timegrain.stats.scores.metric import metrics

if TYPE_CHECKING:
    from timegrain.continuity.retention.result import LabelRetention, RetentionRow

_MOST_CLASSES = 6
_LOPSIDED = 0.75


def summary_lines(result: "LabelRetention") -> list[tuple[str, str]]:
    """Return `(label, text)` lines of a result."""
    lines = [
        ("baseline", _baseline(result)),
        ("trivial", _trivial(result)),
        ("outcome", _outcome(result)),
    ]
    if result.outcome is Outcome.CANNOT_TELL:
        lines.append(("try", _cure(result)))
    lines += [(f"stride {row.stride}", _row(result, row)) for row in result.profile[1:]]
    if result.outcome is not Outcome.CANNOT_TELL:
        lines.append(("coarsest", _coarsest(result)))
    lines += [("thinning", _thinning(result)), ("cases", _cases(result)), ("split", _split(result))]
    return [*lines, ("classes", _balance(result))] if result.balance else lines


def _baseline(r: "LabelRetention") -> str:
    first = r.profile[0]
    return (
        f"{metrics[r.metric].words} {r.score:.3f}{_ends(first.low, first.high)}, "
        f"skill {number(first.skill, 2)}: random convolutions and a ridge, all samples"
    )


def _trivial(r: "LabelRetention") -> str:
    what = "the commonest class" if r.target_kind == "class" else "the mean"
    return f"{r.trivial_score:.3f} ({what}); perfect {number(r.perfect_score)}"


def _outcome(r: "LabelRetention") -> str:
    if r.outcome is Outcome.MEASURED:
        return r.outcome.name
    return f"{r.outcome.name}: {r.reasons.get('retention', r.outcome.message)}"


def _cure(r: "LabelRetention") -> str:
    largest = max((b.share for b in r.balance), default=0.0)
    if r.metric == "accuracy" and largest > _LOPSIDED:
        return f"{r.outcome.cure}; or metric='balanced_accuracy', since one class has most cases"
    return r.outcome.cure


def _row(r: "LabelRetention", row: "RetentionRow") -> str:
    step = f"step {duration_text(row.dt, r.unit)}, " if r.unit != "sample" else ""
    if row.score is None:
        return f"{step}not measured: {row.reason}"
    score = f"{step}{metrics[r.metric].words} {row.score:.3f}"
    if row.retention is None:
        return score
    return f"keeps {row.retention:.2f}{_ends(row.retention_low, row.retention_high, 2)}; {score}"


def _coarsest(r: "LabelRetention") -> str:
    if r.coarsest == 1:
        return "none of these strides surely keeps .95 of the skill"
    time = f", a step of {duration_text(r.coarsest * r.dt, r.unit)}"
    known = time if r.unit != "sample" else ""
    return f"stride {r.coarsest}{known}: its interval stays at .95 or above, as at smaller strides"


def _thinning(r: "LabelRetention") -> str:
    if r.decimator == "fir":
        return "filtered first: what a recording at the lower rate would show"
    return "samples are dropped as they are, so that fast content folds down"


def _cases(r: "LabelRetention") -> str:
    if r.window is None or r.hop is None:
        return f"{r.n_cases:,} whole sequences"
    text = f"{r.n_cases:,} windows of {_length(r, r.window)}, one every {_length(r, r.hop)}"
    return text if r.ahead is None else f"{text}; {_length(r, r.ahead)} ahead"


def _length(r: "LabelRetention", samples: int) -> str:
    text = f"{samples:,} {plural('sample', samples)}"
    if r.unit == "sample":
        return text
    return f"{text} ({duration_text(samples * r.dt, r.unit)})"


def _split(r: "LabelRetention") -> str:
    whole = {
        "group": "a group is never on both sides",
        "recording": "a recording is never on both sides",
        "time": "stretches of one recording, a window's length between the sides",
        "case": "every case for itself",
    }[r.split]
    way = "bootstrap" if r.n_groups >= MIN_BOOTSTRAP_CASES else "Student's t"
    noun = {"time": "stretch"}.get(r.split, r.split)
    many = f"{r.n_groups:,} {noun}{'es' if noun == 'stretch' else 's'}"
    return f"{r.n_folds} folds x {r.repeats}, {whole}; 95 % intervals by {way} over {many}"


def _balance(r: "LabelRetention") -> str:
    ranked = sorted(r.balance, key=lambda b: -b.share)
    cells = [f"{b.name}: {100 * b.share:.0f} %" for b in ranked[:_MOST_CLASSES]]
    more = len(ranked) - _MOST_CLASSES
    return ", ".join(cells) + (f" and {more} more" if more > 0 else "")


def _ends(low: float | None, high: float | None, digits: int = 3) -> str:
    return "" if low is None or high is None else f" [{low:.{digits}f}, {high:.{digits}f}]"

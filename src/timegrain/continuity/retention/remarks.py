"""What a reader of a retention has to know of its splits and intervals."""

from collections.abc import Collection, Sequence

from timegrain.continuity.retention.result import RetentionRow
from timegrain.data.together import Way


def width_notes(
    rows: Sequence[RetentionRow], right: Collection[int], *, way: Way, n_units: int
) -> list[str]:
    """Return notes on intervals without a width, which say less than they seem to.

    Args:
        rows: One a stride.
        right: Strides at which every answer is right.
        way: What intervals are made from, as `Units.way`.
        n_units: So many.

    Source:
        Hanley and Lippman-Hand, If Nothing Goes Wrong, Is Everything All Right? (JAMA 1983), for
        the rule of three.
    """
    flat = [r.stride for r in rows if r.low is not None and r.low == r.high]
    notes = []
    perfect = [k for k in flat if k in right]
    if perfect:
        nouns = {"time": "stretches of time"}.get(way, f"{way}s")
        notes.append(
            f"every answer at {_strides(perfect)} is right, so the score's interval has no width; "
            f"with none of {n_units:,} {nouns} wrong, up to {min(300 / n_units, 100):.1f} % of "
            "others may be (rule of three)"
        )
    others = [k for k in flat if k not in right]
    if others:
        notes.append(
            f"every draw of cases has the same score at {_strides(others)}, so the interval has no "
            "width; it does not say how sure the score is"
        )
    return notes


def _strides(strides: Sequence[int]) -> str:
    return f"stride {', '.join(map(str, strides))}"

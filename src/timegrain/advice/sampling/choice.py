"""Which window and which stride to advise, from a sweep."""

from collections.abc import Sequence

from timegrain.advice.sampling.result import SweepRow

KEEP = 0.95
"""A stride keeps the label where the interval of its retention lies above this."""


def choose_window(sweep: Sequence[SweepRow]) -> int | None:
    """Return the shortest window whose best skill, at any stride, is nearly that of the best.

    Nearly is `KEEP` of it. Whole sequences count as the longest.

    Args:
        sweep: Rows with a score for at least one window.

    Example:
        >>> from timegrain.advice.sampling.result import Kept
        >>> def row(window, skill):
        ...     kept = Kept(score=skill, low=None, high=None, skill=skill, retention=1.0,
        ...                 retention_low=1.0, retention_high=1.0)
        ...     return SweepRow(window=window, stride=1, dt=1.0, n_cases=9, thinned=kept,
        ...                     filtered=None, keeps=True)
        >>> choose_window([row(32, 0.6), row(64, 0.88), row(128, 0.9)])
        64
    """
    skills: dict[int | None, float] = {}
    for row in sweep:
        if row.thinned is not None:
            skills[row.window] = max(skills.get(row.window, row.thinned.skill), row.thinned.skill)
    best = max(skills.values())
    good = [w for w, skill in skills.items() if skill >= KEEP * best]
    # where nothing is learnt, the longest window is the fairest try
    good = good if best > 0 else [max(skills, key=_length)]
    return min(good, key=_length)


def _length(window: int | None) -> float:
    return float("inf") if window is None else window


def coarsest(sweep: Sequence[SweepRow], window: int | None) -> int:
    """Return the largest stride that keeps the label, with all smaller ones; 1 if none does.

    Args:
        sweep: Rows of any windows.
        window: The one to look at.
    """
    stride = 1
    for row in sorted((r for r in sweep if r.window == window), key=lambda r: r.stride):
        if row.stride == 1:
            continue
        if not row.keeps:
            break
        stride = row.stride
    return stride

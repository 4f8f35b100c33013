"""`Advice` in lines for people."""

from typing import TYPE_CHECKING

from timegrain.continuity.task.rate import rate_text
from timegrain.core.table import number, ordinal
from timegrain.data.units import duration_text, plural

if TYPE_CHECKING:
    from timegrain.advice.sampling.result import Advice, Kept, SweepRow


def summary_lines(advice: "Advice") -> list[tuple[str, str]]:
    """Return `(label, text)` lines of an advice."""
    lines = [("advice", headline(advice))]
    if advice.score is not None:
        lines.append(("evidence", _evidence(advice)))
    if advice.stride is not None and advice.next_stride is not None:
        lines.append(("one lower", _lost(advice)))
    if advice.stride is not None:
        lines.append(("limited by", _limiting(advice)))
    lines.append(("the curve", _curve(advice)))
    if advice.cost_share is not None and advice.cost_share < 1:
        lines.append(("training", _training(advice)))
    if advice.sweep:
        lines.append(
            (
                "the sweep",
                f"stride 1={advice.metric}, others the share of its skill that is kept; ! marks "
                "what is not shown to keep it",
            )
        )
    for window in windows(advice):
        lines += _sweep_lines(advice, window)
    lines.append(("cases", _cases(advice)))
    return [*lines, *(("cannot tell", text) for text in advice.unknown)]


def headline(advice: "Advice") -> str:
    """Return the advice in one sentence."""
    if advice.stride is None:
        return f"none: {advice.reasons['stride']}"
    label = f"the target {advice.target}" if advice.target else "the label"
    if advice.stride == 1:
        return f"keep the rate, {pace(advice, 1)}: {label} is not shown to survive a lower one"
    return f"{pace(advice, advice.stride)} is enough for {label}, in the place of {pace(advice, 1)}"


def pace(advice: "Advice", stride: int) -> str:
    """Return a stride as a rate where the step is known: `12.5 Hz (every 8th sample)`."""
    which = "every sample" if stride == 1 else f"every {ordinal(stride)} sample"
    rate = rate_text(stride * advice.dt, advice.unit)
    if rate:
        return rate if stride == 1 else f"{rate} ({which})"
    if advice.unit == "sample":
        return which
    step = stride * advice.dt
    return f"{which} ({duration_text(step, advice.unit)} apart)"


def windows(advice: "Advice") -> list[int | None]:
    """Return the windows of the sweep, shortest first."""
    return list(dict.fromkeys(r.window for r in advice.sweep))


def window_label(advice: "Advice", window: int | None) -> str:
    """Return the label of a window's line."""
    if window is None:
        return "whole"
    return f"window {window}" + (
        " *" if window == advice.window and len(windows(advice)) > 1 else ""
    )


def _evidence(a: "Advice") -> str:
    text = f"{a.metric} {number(a.score)}{_range(a.interval)} at {pace(a, 1)}"
    text += f" (trivial {number(a.trivial_score)})"
    row = a.at(a.stride) if a.stride not in (None, 1) else None
    if row is not None and row.weaker is not None:
        kept = row.weaker
        text += f"; {number(kept.score)} at {pace(a, row.stride)}, {_share(kept)} of the skill"
    return text


def _lost(a: "Advice") -> str:
    row = a.at(a.next_stride or 0)
    if row is None or row.weaker is None:
        return f"{pace(a, a.next_stride or 1)} was not measured: {row.reason if row else ''}"
    kept = row.weaker
    how = _ways(row.thinned is kept, row.filtered is not None)
    text = f"{pace(a, row.stride)} leaves {a.metric} {number(kept.score)}"
    return f"{text}, {_share(kept)} of the skill{how}; the lower end has to be {number(a.limit)}"


def _ways(thinned: bool, both: bool) -> str:
    if not both:
        return ", thinned without a filter"
    return ", thinned without a filter" if thinned else ", after the filter that this rate needs"


def _limiting(a: "Advice") -> str:
    if a.limiting_channel is None:
        return f"no channel in particular: {a.reasons['limiting_channel']}"
    loss = number(a.limiting_loss, 2)
    return (
        f"{_called(a.limiting_channel)}: thinned alone to the next stride it costs {loss} of "
        f"{a.metric}, more than any other channel"
    )


def _training(a: "Advice") -> str:
    coarser = sorted({r.stride for r in a.sweep if 1 < r.stride <= (a.stride or 1)}, reverse=True)
    listed = ", ".join(ordinal(k) for k in coarser)
    share = number(100 * (a.cost_share or 1.0), 2)
    return (
        f"epochs on every {listed} and then every sample, equally many each, would see about "
        f"{share} % of the samples of as many on every sample: from the strides alone; the share "
        "of time was not measured"
    )


def _called(channel: str | None) -> str:
    return f"channel {channel}" if channel is not None and channel.isdigit() else str(channel)


def _curve(a: "Advice") -> str:
    text = (
        f"can be redrawn from every {ordinal(a.horizon)} sample{' or fewer' * a.horizon_open}"
        if a.horizon > 1 or a.horizon_open
        else "cannot be redrawn from every 2nd sample"
    )
    if a.worst_channel is not None:
        text += f", hardest for {_called(a.worst_channel)}"
    if a.noise_share is not None:
        text += f"; noise share {number(100 * a.noise_share, 2)} % of the variance"
    if a.event_error is not None:
        text += f"; 1 redrawn sample in 100 misses by over {number(100 * a.event_error, 2)} % of "
        text += "the range, where rare events are"
    return f"{text}. This permits nothing by itself"


def _sweep_lines(a: "Advice", window: int | None) -> list[tuple[str, str]]:
    rows = [r for r in a.sweep if r.window == window]
    both = any(r.filtered is not None for r in rows)
    lines = [(window_label(a, window), " ".join(_cell(r, r.thinned, a.limit) for r in rows))]
    if len(windows(a)) > 1:
        label, text = lines[0]
        lines[0] = (label, f"{text} ({rows[0].n_cases:,} {plural('case', rows[0].n_cases)})")
    if both:
        cells = [_cell(r, r.filtered, a.limit) for r in rows if r.stride > 1]
        lines.append(("  filtered", " ".join(cells)))
    return lines


def _cell(row: "SweepRow", kept: "Kept | None", limit: float) -> str:
    if kept is None:
        return f"{row.stride}=-"
    if row.stride == 1:
        return f"1={number(kept.score)}"
    if kept.retention is None:
        return f"{row.stride}=-"
    shown = kept.retention_low is not None and kept.retention_low >= limit
    return f"{row.stride}={100 * kept.retention:.0f}%{'' if shown else '!'}"


def _cases(a: "Advice") -> str:
    if not a.n_cases:
        return "no labelled case"
    return f"{a.n_cases:,} {plural('case', a.n_cases)}; folds are split by {a.split}"


def _share(kept: "Kept") -> str:
    if kept.retention is None:
        return "an unknown share"
    return f"{100 * kept.retention:.0f} %{_percent(kept.retention_low, kept.retention_high)}"


def _percent(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" [{100 * low:.0f}, {100 * high:.0f}]"


def _range(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f" [{number(interval[0])}, {number(interval[1])}]"

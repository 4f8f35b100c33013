"""The section on datasets."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.data.units import duration_text
from timegrain.report.figures.discontinuity import horizon_text, profiles, profiles_words
from timegrain.report.page.familiar import familiar_tables
from timegrain.report.page.numbers import MISSING, Cell, cell, near_one, significant
from timegrain.report.page.parts import Plate, Section, Table, attributed, named
from timegrain.report.page.timestamps import audit_tables

if TYPE_CHECKING:
    from timegrain.continuity.task.result import ChannelContinuity, TaskContinuity
    from timegrain.core.outcome import Outcome

_ONLY = "the only one"


def dataset_section(results: "Sequence[TaskContinuity]", *, labelled: bool) -> Section:
    """Return the section with D(k), the table of datasets and the tables of their channels.

    Args:
        results: One a dataset.
        labelled: Whether the page has a task, whose label may need more than the curve does.
    """
    many = len(results) > 1
    plate = Plate(
        draw=lambda width: profiles(results, width=width, title=False),
        words=profiles_words(results),
    )
    channels = [_channel_table(r) for r in results if len(r.channels) > 1]
    notes = [*attributed(pair for r in results for pair in named(r.name, r.notes))]
    if len({(r.window, r.detrend) for r in results}) > 1:
        notes.insert(0, "The windows differ, so the numbers of these rows cannot be compared.")
    return Section(
        key="data",
        heading="How continuous are the data?" if many else "How continuous is the dataset?",
        lead=(
            "A curve that straight lines between every k-th sample can redraw does not need the "
            "samples between. That the curve survives does not mean that "
            + ("a label does." if labelled else "a rare sharp event does.")
        ),
        plates=(plate,),
        tables=(
            _table(results),
            *channels,
            *(table for r in results for table in audit_tables(r)),
            *familiar_tables(results),
        ),
        notes=tuple(notes),
    )


def _table(results: "Sequence[TaskContinuity]") -> Table:
    rows = []
    for r in results:
        rows.append(
            (
                Cell(text=r.name),
                Cell(text=window_text(r)),
                _continuity(r),
                cell(r.discontinuity.get(2), why=_why(r, "continuity") or r.outcome.message),
                cell(r.exponent, why=_why(r, "exponent")),
                _share(r.nugget, _why(r, "nugget")),
                _horizon(r),
                _worst(r),
                outcome_cell(r.outcome),
            )
        )
    table = Table(
        caption=(
            f"The dataset{'s' * (len(results) > 1)}{_window_clause(results)}. Continuity is "
            "1 − D(2), below it its 95 % interval; the exponent is the power with which D grows "
            "(4 smooth, 1 Brownian, towards "
            "0 noise); the noise share is what D tends to at small strides."
        ),
        header=(
            "Dataset",
            "Window, samples",
            "Continuity",
            "D(2)",
            "Exponent",
            "Noise share",
            "Horizon, samples",
            "Worst channel",
            "Outcome",
        ),
        rows=tuple(rows),
    )
    needless = [
        name
        for name, empty in (
            ("Window, samples", {table.rows[0][1].text}),
            ("Worst channel", {MISSING, _ONLY}),
        )
        if empty.issuperset(table.column(name))
    ]
    return table.without(*needless)


def _window_clause(results: "Sequence[TaskContinuity]") -> str:
    windows = {window_text(r) for r in results}
    if len(windows) > 1:
        return ""
    text = windows.pop()
    return f", window: {text if text.startswith('whole') else f'{text} samples'}"


def window_text(result: "TaskContinuity") -> str:
    """Return the window as printed: `128`, or `whole` for whole sequences."""
    text = "whole" if result.window is None else f"{result.window:,}"
    return text if result.detrend is None else f"{text} (detrended)"


def outcome_cell(outcome: "Outcome") -> Cell:
    """Return an outcome as a word whose title says what it means and what to do."""
    return Cell(
        text=outcome.name.lower().replace("_", " "), title=f"{outcome.message}: {outcome.cure}"
    )


def _why(result: "TaskContinuity", field: str) -> str:
    return result.reasons.get(field, "")


def _continuity(r: "TaskContinuity") -> Cell:
    if r.continuity is None:
        return Cell(text=MISSING, title=_why(r, "continuity") or r.outcome.message)
    text = near_one(r.continuity)
    if r.interval is None:
        return Cell(text=text, title="no interval: " + (_why(r, "interval") or "not measured"))
    low, high = (near_one(v, like=r.continuity) for v in r.interval)
    return Cell(text=text, more=f"{low} to {high}")


def _share(value: float | None, why: str) -> Cell:
    if value is None:
        return cell(None, why=why)
    return Cell(text=f"{significant(100 * value, 2)} %")


def _horizon(r: "TaskContinuity") -> Cell:
    if r.unit == "sample":
        return Cell(text=horizon_text(r))
    sign = "≥" if r.horizon_open else ""
    return Cell(text=horizon_text(r), more=f"{sign}{duration_text(r.horizon_time, r.unit)}")


def _worst(r: "TaskContinuity") -> Cell:
    if r.worst_channel is None:
        return Cell(text=MISSING, title=_why(r, "worst_channel") or r.outcome.message)
    if len(r.channels) == 1:
        return Cell(text=_ONLY)
    return Cell(text=r.worst_channel, more=f"of {len(r.channels)}")


def _channel_table(result: "TaskContinuity") -> Table:
    return Table(
        caption=f"The {len(result.channels)} channels of {result.name}, most limiting first",
        header=("Channel", "Continuity", "Exponent", "Noise share", "Horizon, samples", "Outcome"),
        rows=tuple(_channel_row(c) for c in sorted(result.channels, key=_limiting)),
        folded=True,
    )


def _limiting(channel: "ChannelContinuity") -> tuple[bool, int, float]:
    continuity = channel.continuity
    return continuity is None, channel.horizon, 0.0 if continuity is None else continuity


def _channel_row(channel: "ChannelContinuity") -> tuple[Cell, ...]:
    c, why = channel.continuity, channel.reason
    return (
        Cell(text=channel.name),
        cell(None, why=why) if c is None else Cell(text=near_one(c)),
        cell(channel.exponent, why=why),
        _share(channel.nugget, why),
        Cell(text=f"{'≥' if channel.horizon_open else ''}{channel.horizon}"),
        outcome_cell(channel.outcome),
    )

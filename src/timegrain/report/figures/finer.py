"""Scores of networks trained at one rate, on the same trajectories at finer and coarser ones."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.report.figures.frame import WIDE, Panel, text_width
from timegrain.report.figures.labels import EndLabel
from timegrain.report.figures.scales import octaves, ratio, trivial_line
from timegrain.report.figures.sheet import PanelWords, Sheet, sheet
from timegrain.report.figures.style import PAPER, ModelStyle, display, model_styles, styled
from timegrain.report.figures.telling import TRIVIAL_ENTRY, UNTOLD, told_entry
from timegrain.report.figures.words import Words, metric_name, minus

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from timegrain.study.presets.paper_refinement.result import PaperRefinement, RefinementCell

FLOOR = -0.25  # scores below are marked at it: a network far from the answer has no lower bound
_BELOW = 7  # matplotlib's caret that points down: no model's marker
_DODGE = 0.06  # octaves between the networks side by side
_TELLINGS = {True: "told", False: "not told"}


def refined_scores(
    result: "PaperRefinement", *, width: float = WIDE, title: bool = True
) -> "Figure":
    """Draw the score against tau, told the step and not told, a panel a system.

    Args:
        result: Of the study `paper-refinement`.
        width: Of the figure, in points; 504 and 252 are two columns and one of most journals.
        title: Whether to write the title above the panels.
    """
    with styled():
        texts = [_label(model, False) for model in result.models]
        styles = model_styles(result.models)
        made = sheet(
            [
                PanelWords(
                    title=system.title[:1].upper() + system.title[1:],
                    x="tau (1 is the trained step)",
                    y=f"test {metric_name(result.metric)} (1 is perfect)",
                )
                for system in result.systems
            ],
            Panel(height=140.0, right=text_width(texts) + 14.0),
            width=width,
            key=[
                *(
                    told_entry(_label(model, told), styles[model], told=told)
                    for model in result.models
                    for told in (True, False)
                ),
                TRIVIAL_ENTRY,
            ],
            title=refined_words(result).title if title else None,
        )
        for axes, system in zip(made.panels, result.systems, strict=True):
            octaves(axes, result.taus, pad=0.2)
            axes.set_ylim(FLOOR - 0.06, 1.06)
            axes.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0])
            trivial_line(axes, system.trivial_score, named=not made.small)
            _draw(axes, result, system.name, styles, made)
        return made.figure


def _draw(
    axes: "Axes",
    result: "PaperRefinement",
    task: str,
    styles: dict[str, ModelStyle],
    made: Sheet,
) -> None:
    labels = []
    for i, model in enumerate(result.models):
        shift = 2 ** (_DODGE * (i - (len(result.models) - 1) / 2))
        for told in (False, True):
            cells = [result.row(task, model, tau=tau, told=told) for tau in result.taus]
            _curve(axes, cells, styles[model], shift=shift, told=told)
            last = cells[-1]
            labels.append(
                EndLabel(
                    x=last.tau * shift,
                    y=max(last.score, FLOOR),
                    text=_label(model, told),
                    colour=styles[model].colour,
                )
            )
    made.label(axes, labels)


def _curve(
    axes: "Axes", cells: "Sequence[RefinementCell]", style: ModelStyle, *, shift: float, told: bool
) -> None:
    colour = style.colour
    xs = [c.tau * shift for c in cells]
    for x, c in zip(xs, cells, strict=True):
        # those that are not told fall so differently that whiskers would hide the panel
        if told and c.low is not None and c.high is not None:
            axes.plot([x, x], [c.low, c.high], color=colour, linewidth=1.0, alpha=0.55)
    axes.plot(
        xs,
        [c.score for c in cells],
        color=colour,
        linestyle=style.line,
        linewidth=1.8 if told else UNTOLD,
        zorder=3,
    )
    inside = {x: c.score for x, c in zip(xs, cells, strict=True) if c.score >= FLOOR}
    below = {x: FLOOR for x, c in zip(xs, cells, strict=True) if c.score < FLOOR}
    size = 4.5 if told else 6.0  # a ring shows around a dot at the same place
    for marker, points in ((style.mark, inside), (_BELOW, below)):
        axes.plot(
            list(points),
            list(points.values()),
            linestyle="none",
            marker=marker,
            markersize=size,
            markerfacecolor=colour if told else PAPER,
            markeredgecolor=colour,
            zorder=4,
        )


def _label(model: str, told: bool) -> str:
    return f"{display(model)} {_TELLINGS[told]}"


def refined_words(result: "PaperRefinement") -> Words:
    """Return the title, the caption and the description of `refined_scores`."""
    finest = result.taus[0]
    clauses = []
    for model in result.models:
        changes = [
            c.change
            for system in result.systems
            if (c := result.row(system.name, model, tau=finest)).change is not None
        ]
        if changes:
            both = dict.fromkeys(minus(f"{v:+.2f}") for v in (min(changes), max(changes)))
            clauses.append(f"{display(model)} {' to '.join(both)}")
    said = "; ".join(
        f"{system.title}, {_label(model, told)}: "
        + ", ".join(
            f"{c.score:.2f} at tau {ratio(c.tau)}"
            for c in (result.row(system.name, model, tau=t, told=told) for t in result.taus)
        )
        for system in result.systems
        for model in result.models
        for told in (True, False)
    )
    metric = metric_name(result.metric)
    seeds = len(result.seeds)
    of = f"Means of {seeds} networks" if seeds > 1 else "One network"
    return Words(
        title=(
            f"Change of {metric} from tau 1 to {ratio(finest)}, told: " + ", ".join(clauses)
            if clauses
            else f"{metric} at coarser steps"
        ),
        caption=(
            f"{of} of each kind, trained at tau 1 and scored on the same {result.n_test:,} "
            "trajectories at every step: told it (filled marks), or not (thin, hollow marks). "
            "Whiskers are 95 % intervals of those told, for other trajectories"
            + (" and other networks" if seeds > 1 else "")
            + f"; carets are scores below {minus(f'{FLOOR:g}')}."
        ),
        description=f"{metric} against tau. {said}.",
    )

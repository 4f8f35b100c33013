"""The section on networks trained at one rate and given finer and coarser grids."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.report.figures.finer import refined_scores, refined_words
from timegrain.report.figures.scales import ratio
from timegrain.report.figures.style import display
from timegrain.report.figures.words import metric_name
from timegrain.report.page.highlights import Highlight
from timegrain.report.page.numbers import MISSING, Cell, between, fixed
from timegrain.report.page.parts import Plate, Section, Table, attributed, named

if TYPE_CHECKING:
    from timegrain.study.presets.paper_refinement.result import PaperRefinement, RefinementCell

_TELLINGS = {True: "told", False: "not told"}


def finer_section(results: "Sequence[PaperRefinement]") -> Section:
    """Return the section with the scores at finer and coarser steps.

    Args:
        results: Of the study `paper-refinement`, at least one.
    """
    return Section(
        key="finer",
        heading="Does a network that was trained at one rate hold on finer grids?",
        lead=" ".join(dict(r.summary_lines())["conclusion"] for r in results),
        plates=tuple(_plate(r) for r in results),
        tables=tuple(table for r in results for table in (_scores(r), _changes(r))),
        notes=attributed(pair for r in results for pair in named(r.name, r.notes)),
    )


def finer_highlights(results: "Sequence[PaperRefinement]") -> list[Highlight]:
    """Return each network's largest loss from tau 1 to the finest step, told it."""
    highlights = []
    for r in results[:1]:
        titles = {system.name: system.title for system in r.systems}
        for model in r.models:
            cells = [r.row(name, model, tau=r.taus[0]) for name in titles]
            known = [(c.change, c) for c in cells if c.change is not None]
            if known:
                change, worst = min(known, key=lambda pair: pair[0])
                highlights.append(
                    Highlight(
                        value=fixed(change),
                        label=f"{display(model)}: change of {metric_name(r.metric)} from tau 1 to "
                        f"{ratio(worst.tau)}, told",
                        detail=f"on {titles[worst.task]}, the largest loss of {len(cells)} systems",
                    )
                )
    return highlights


def _plate(result: "PaperRefinement") -> Plate:
    return Plate(
        draw=lambda width: refined_scores(result, width=width, title=False),
        words=refined_words(result),
        name=result.name,
    )


def _scores(r: "PaperRefinement") -> Table:
    return Table(
        caption=(
            f"Test {metric_name(r.metric)} with 95 % intervals; {r.n_train:,} trajectories of "
            f"{r.length} samples to train on at tau 1, {r.n_test:,} to score, "
            f"{len(r.seeds)} of each network"
        ),
        header=("System", "Network", *(f"tau {ratio(tau)}" for tau in r.taus)),
        rows=tuple((*names, *(_score(c) for c in cells)) for names, cells in _series(r)),
    )


def _changes(r: "PaperRefinement") -> Table:
    taus = [tau for tau in r.taus if tau != 1]
    return Table(
        caption=(
            f"Change of {metric_name(r.metric)} from tau 1, of the same networks on the same "
            "trajectories, with 95 % intervals"
        ),
        header=("System", "Network", *(f"tau {ratio(tau)}" for tau in taus)),
        rows=tuple(
            (*names, *(_change(c) for c in cells if c.tau != 1)) for names, cells in _series(r)
        ),
        folded=True,
    )


def _series(
    r: "PaperRefinement",
) -> "list[tuple[tuple[Cell, Cell], list[RefinementCell]]]":
    return [
        (
            (Cell(text=system.title), Cell(text=f"{display(model)}, {_TELLINGS[told]}")),
            [r.row(system.name, model, tau=tau, told=told) for tau in r.taus],
        )
        for system in r.systems
        for model in r.models
        for told in (True, False)
    ]


def _score(c: "RefinementCell") -> Cell:
    more = "" if c.low is None or c.high is None else between(c.low, c.high)
    seeds = ", ".join(fixed(s, 3) for s in c.by_seed)
    return Cell(text=fixed(c.score), more=more, title=f"by network: {seeds}")


def _change(c: "RefinementCell") -> Cell:
    if c.change is None:
        return Cell(text=MISSING, title="the step it was trained at")
    more = ""
    if c.change_low is not None and c.change_high is not None:
        more = between(c.change_low, c.change_high, digits=3)
    return Cell(text=fixed(c.change, 3), more=more)

"""The study in words, made from its numbers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.study.presets.paper_refinement.holding import (
    EACH,
    FALLS,
    HOLDS,
    MARGIN,
    UNCLEAR,
    UNLEARNED,
    Holding,
    holdings,
)

if TYPE_CHECKING:
    from timegrain.study.presets.paper_refinement.result import PaperRefinement, RefinementCell

TELLINGS = {True: "told its step", False: "not told"}
_CLAUSES = {
    HOLDS: f"is flat (to {MARGIN:g}) or improves",
    FALLS: "falls",
    EACH: "falls in each network, unevenly,",
    UNCLEAR: f"may fall by more than {MARGIN:g}",
    UNLEARNED: "has not learned enough to tell",
}


def lines(result: "PaperRefinement") -> list[tuple[str, str]]:
    """Return `(label, text)` lines, the conclusion last."""
    taus = ", ".join(share(tau) for tau in result.taus)
    drawn = (
        f"{result.n_train:,} trajectories of {result.length} samples to train on at tau 1, "
        f"{result.n_test:,} to score; {len(result.seeds)} network{'s' * (len(result.seeds) > 1)} "
        f"of each kind; tau {taus}"
    )
    return [
        ("trained on", drawn),
        *(
            (f"{system.name}, {model}", _line(result, system.name, model))
            for system in result.systems
            for model in result.models
        ),
        ("conclusion", conclusion(result)),
    ]


def conclusion(result: "PaperRefinement") -> str:
    """Return what the numbers say of finer and of coarser grids, in a few sentences."""
    sentences = [*(_finer(result, told=told) for told in (True, False)), _coarser(result)]
    return " ".join(s for s in sentences if s)


def share(tau: float) -> str:
    """Return a power of two as people write it.

    Example:
        >>> share(0.25), share(4.0)
        ('1/4', '4')
    """
    return f"{tau:g}" if tau >= 1 else f"1/{round(1 / tau)}"


def ends(cell: "RefinementCell") -> str:
    """Return a score with its interval: `0.81 [0.79, 0.83]`."""
    return f"{cell.score:.2f}" + _between(cell.low, cell.high)


def _between(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" [{low:.2f}, {high:.2f}]"


def _line(result: "PaperRefinement", task: str, model: str) -> str:
    trained = result.row(task, model, tau=1.0)
    texts = [f"R² {ends(trained)}"]
    for told in (True, False):
        others = [result.row(task, model, tau=t, told=told) for t in result.taus if t != 1]
        said = ", ".join(f"{c.score:.2f} at {share(c.tau)}" for c in others)
        texts.append(f"{TELLINGS[told]}: {said}")
    return "; ".join(texts)


def _finer(result: "PaperRefinement", *, told: bool) -> str | None:
    sentences = []
    for model in result.models:
        found = holdings(result, model, told=told)
        clauses = []
        for verdict, words in _CLAUSES.items():
            here = [h for h in found if h.verdict == verdict]
            if here:
                places = _places(result, [h.task for h in here])
                clauses.append(f"{words} {places}" + _numbers(here, verdict))
        if clauses:
            sentences.append(f"{model.upper()} {'; '.join(clauses)}.")
    if not sentences:
        return None
    finest = share(result.taus[0])
    return f"{TELLINGS[told].capitalize()}, as tau falls from 1 to {finest}, {' '.join(sentences)}"


def _places(result: "PaperRefinement", tasks: Sequence[str]) -> str:
    if len(tasks) == len(result.systems) > 1:
        return "on both systems" if len(tasks) == 2 else f"on all {len(tasks)} systems"
    titles = [system.title for system in result.systems if system.name in tasks]
    listed = titles[-1] if len(titles) == 1 else f"{', '.join(titles[:-1])} and {titles[-1]}"
    return f"on {listed}"


def _numbers(here: Sequence[Holding], verdict: str) -> str:
    if verdict == UNLEARNED:
        return ""
    if verdict in (FALLS, EACH):
        return f" ({', '.join(f'{h.trained:.2f} to {h.finest.score:.2f}' for h in here)})"
    if verdict == UNCLEAR:
        return f" (R² changes by {', '.join(_change(h.finest) for h in here)})"
    changes = [h.finest.change for h in here if h.finest.change is not None]
    lows = [h.finest.change_low for h in here if h.finest.change_low is not None]
    interval = f"; no 95 % interval below {_signed(min(lows))}" if lows else ""
    return f" (R² changes by {_span(changes)}{interval})"


def _change(cell: "RefinementCell") -> str:
    if cell.change is None or cell.change_low is None or cell.change_high is None:
        return "-"
    return f"{_signed(cell.change)} [{_signed(cell.change_low)}, {_signed(cell.change_high)}]"


def _coarser(result: "PaperRefinement") -> str | None:
    tau = result.taus[-1]
    if tau <= 1:
        return None
    texts = []
    for model in result.models:
        cells = [result.row(system.name, model, tau=tau) for system in result.systems]
        changes = [c.change for c in cells if c.change is not None]
        texts.append(f"that of {model.upper()} by {_span(changes)}")
    return f"Told tau {share(tau)}, R² changes: {', '.join(texts)}."


def _span(values: Sequence[float]) -> str:
    both = dict.fromkeys(_signed(v) for v in (min(values), max(values)))
    return " to ".join(both)


def _signed(value: float) -> str:
    text = f"{value:+.3f}"
    return text if float(text) else "0.000"

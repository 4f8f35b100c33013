"""Whether a score holds as the grid becomes finer, from the intervals of its changes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timegrain.study.presets.paper_refinement.result import PaperRefinement, RefinementCell

MARGIN = 0.02  # a score that changes by less is flat

HOLDS, FALLS, EACH = "holds", "falls", "falls in each"
UNCLEAR, UNLEARNED = "unclear", "unlearned"


@dataclass(frozen=True, kw_only=True)
class Holding:
    """What becomes of one kind of network's score on one system as tau falls below 1.

    Args:
        task: Name of the system.
        model: Name of the layer.
        verdict: `"holds"`: flat or improving at every finer step, the 95 % intervals of the changes
            above `-MARGIN`; `"falls"`: at one of them by more, the interval below; `"falls in
            each"`: not surely so of other networks, but all that were trained lose more at the
            finest step; `"unclear"`: none of these; `"unlearned"`: the score at tau 1 is not above
            the trivial one.
        trained: The score at tau 1.
        finest: The cell of the finest step.
    """

    task: str
    model: str
    verdict: str
    trained: float
    finest: "RefinementCell"


def holdings(result: "PaperRefinement", model: str, *, told: bool) -> list[Holding]:
    """Return the verdict on each system; none where no step is below 1.

    Args:
        result: Of the study.
        model: Name of a layer.
        told: Whether the networks are told their step.
    """
    if result.taus[0] >= 1:
        return []
    return [
        _holding(result, system.name, model, told=told, trivial=system.trivial_score)
        for system in result.systems
    ]


def _holding(
    result: "PaperRefinement", task: str, model: str, *, told: bool, trivial: float
) -> Holding:
    trained = result.row(task, model, tau=1.0, told=told)
    finer = [result.row(task, model, tau=tau, told=told) for tau in result.taus if tau < 1]
    ends = [
        (c.change_low, c.change_high)
        for c in finer
        if c.change_low is not None and c.change_high is not None
    ]
    pair = finer[0].by_seed, trained.by_seed
    verdict = UNCLEAR
    if trained.low is None or trained.low <= trivial:
        verdict = UNLEARNED
    elif any(high < -MARGIN for _, high in ends):
        verdict = FALLS
    elif len(pair[0]) > 1 and all(f - one < -MARGIN for f, one in zip(*pair, strict=True)):
        verdict = EACH
    elif len(ends) == len(finer) and all(low >= -MARGIN for low, _ in ends):
        verdict = HOLDS
    return Holding(task=task, model=model, verdict=verdict, trained=trained.score, finest=finer[0])

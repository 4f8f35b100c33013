"""What the numbers on a page do not say."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from timegrain.report.figures.words import unique

_WINDOW = (
    "D(k) measures roughness against the variation within the window: a longer window makes the "
    "same data look smoother. Compare rows of one window only."
)
_CURVE = (
    "A horizon says that straight lines redraw the curve, and no more: a rare sharp event can "
    "vanish inside a small mean square."
)
_LABEL = (
    "A horizon says that straight lines redraw the curve, not that a label survives. A rare sharp "
    "event can vanish inside a small mean square, and a permuted image can keep its label at "
    "strides that leave nothing of the curve."
)
_ORDER = (
    "Convergence at order 1 is not an advantage of one model over another: what differs is how the "
    "error depends on the input, and the discretisation is part of that."
)
_OTHERS = {
    "training-run": (
        "Few seeds, small networks and short trainings: differences within the spread of the seeds "
        "or inside the intervals are noise. Seconds are of one machine."
    ),
    "transfer-curve": (
        "Another rate means every k-th sample of the same recordings. Another device also filters, "
        "drifts and has other noise; none of that is in these curves."
    ),
    "rate-transfer": (
        "A slower device is imitated from the recordings: its own filter, noise and drift are not "
        "in these scores."
    ),
    "advice": (
        "An advice is about recordings like these and about this label. The probe is one fixed "
        "method; another model can need more samples, or fewer."
    ),
    "plan-advice": (
        "A plan is made from what a probe still finds at each stride, before any network is "
        "trained: how much time it saves is in the trainings."
    ),
    "baseline-score": "The baseline is one fixed method, not the best known result on a task.",
    "dose-response": (
        "A dial changes more than it names: noise hides the label as well as the curve, and "
        "thinning without a filter folds fast content back. Only the window shuffle keeps all that "
        "the samples say."
    ),
    "paper-continuity": (
        "The random systems are as drawn, none is trained, and their inputs are smooth. A rule of "
        "first order converges for either family; what can differ is the constant before it."
    ),
    "paper-refinement": (
        "The networks are small and trained briefly on simulated trajectories. Grids coarser than "
        "the trained one show less of a trajectory, so a loss there is not the network's alone."
    ),
    "verdict": (
        "The sentences are made from the numbers on this page and from nothing else; a law that "
        "held on these tasks is not thereby a law."
    ),
}
TASK_KINDS = ("training-run", "transfer-curve", "baseline-score")


def limits(by_kind: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return what the results of a page do not say.

    Args:
        by_kind: The page's results by `Result.kind`.
    """
    texts = []
    if by_kind.get("task-continuity"):
        texts += [_WINDOW, _LABEL if tasks_of(by_kind) else _CURVE]
    if by_kind.get("model-continuity"):
        texts += [*_of_models(by_kind["model-continuity"]), _ORDER]
    followed = [r for kind in ("localisation", "remedy") for r in by_kind.get(kind, ())]
    if followed:
        texts += [text for text in _as_measured(followed) if text not in texts]
    return [*texts, *(text for kind, text in _OTHERS.items() if by_kind.get(kind))]


def tasks_of(by_kind: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return the names of the labelled tasks that a page has results of."""
    return unique([result.task for kind in TASK_KINDS for result in by_kind.get(kind, ())])


def _as_measured(results: Sequence[Any]) -> Iterator[str]:
    named = [r for r in results if r.scope != "model"]
    if named:
        skip = ", and without their skip term" if any(r.scope == "layer" for r in named) else ""
        yield (
            "Layers measured by name are at random initialisations, on the inputs "
            f"measured{skip}; a trained network, or inputs with jumps, can behave otherwise."
        )
    if len(named) < len(results):
        yield (
            "A model that was passed is measured as it is, on the inputs measured; after more "
            "training, or on inputs with jumps, it can behave otherwise."
        )


def _of_models(results: Sequence[Any]) -> Iterator[str]:
    yield from _as_measured(results)
    if any(not r.memory_seen for r in results):
        yield (
            "Where the memory was not seen, convergence does not say that a model survives another "
            "rate: a model that counts samples instead of time converges too, once it pools."
        )

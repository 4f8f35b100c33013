"""What the numbers of each kind do not say."""

from collections.abc import Collection

_LIMITS: tuple[tuple[str, str], ...] = (
    (
        "task-continuity",
        "D(k) measures roughness against the variation within the window: a longer window makes "
        "the same data look smoother. Compare rows of one window only.",
    ),
    (
        "task-continuity",
        "A horizon says that straight lines redraw the curve, not that a label survives. A rare "
        "sharp event can vanish inside a small mean square, and a permuted image can keep its "
        "label at strides that leave nothing of the curve.",
    ),
    (
        "model-continuity",
        "Layers are measured at random initialisations, on smooth random inputs, and without "
        "their skip term; a trained network, or inputs with jumps, can behave otherwise.",
    ),
    (
        "model-continuity",
        "Convergence at order 1 is not an advantage of one model over another: what differs is "
        "how the error depends on the input, and the discretisation is part of that.",
    ),
    (
        "training-run",
        "Few seeds, small networks and short trainings: differences within the spread of the "
        "seeds or inside the intervals are noise. Seconds are of one machine.",
    ),
    (
        "transfer-curve",
        "Another rate means every k-th sample of the same recordings. Another device also "
        "filters, drifts and has other noise; none of that is in these curves.",
    ),
    (
        "baseline-score",
        "The baseline is one fixed method, not the best known result on a task.",
    ),
    (
        "verdict",
        "The sentences are made from the numbers on this page and from nothing else; a law that "
        "held on these tasks is not thereby a law.",
    ),
)


def limits(kinds: Collection[str]) -> list[str]:
    """Return what results of these kinds do not say.

    Args:
        kinds: As in `Result.kind`.
    """
    return [text for kind, text in _LIMITS if kind in kinds]

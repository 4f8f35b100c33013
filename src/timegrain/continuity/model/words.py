"""Why fields of a `ModelContinuity` are null, and the sentences a reader has to see."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from timegrain.continuity.model.amplitude import AmplitudeLaw
from timegrain.continuity.model.convergence import FLOOR, settled
from timegrain.continuity.model.inputs import INTERPOLANT
from timegrain.continuity.model.ladder import Climb
from timegrain.continuity.model.medians import median_or_none, no_interval
from timegrain.continuity.model.options import ModelOptions, nearest
from timegrain.continuity.model.result import ModelContinuity
from timegrain.continuity.model.roughness import UNSETTLED, roughness_words
from timegrain.continuity.model.subject import Subject
from timegrain.core.table import number


def reasons(
    result: ModelContinuity, first: Subject, law: AmplitudeLaw, *, redrawn: bool
) -> dict[str, str]:
    """Return field name to why it is null, or differs from what was asked.

    Args:
        result: The result without its reasons.
        first: The first pair's model.
        law: The amplitude law.
        redrawn: Whether each pair has a model or a signal of its own.
    """
    few = no_interval(result.n_pairs, redrawn=redrawn)
    texts = dict(first.reasons)
    if result.order is None:
        texts["order"] = "fewer than two differences between grids are clear of rounding"
    if result.interval is None:
        texts["interval"] = texts.get("order", few)
    if result.gci is None:
        texts["gci"] = "there is no order to extrapolate with"
    if any(row.error is None for row in result.errors):
        texts["errors"] = (
            "there is no order to extrapolate with"
            if result.order is None
            else "the differences between grids do not shrink, so that there is no limit"
        )
    if result.amplitude_exponent is None:
        texts["amplitude_exponent"] = law.reason or "no pair follows the law at two amplitudes"
    if result.amplitude_interval is None:
        texts["amplitude_interval"] = texts.get("amplitude_exponent", few)
    if result.declared_order is None:
        texts["declared_order"] = "the model declares none"
    if any(row.memory is None for row in result.memory or ()):
        texts["memory"] = "the output does not respond to the bump"
    if result.error_budget.reference is None:
        texts["error_budget.reference"] = "there is no limit to compare with"
    return texts


def notes(
    result: ModelContinuity,
    first: Subject,
    law: AmplitudeLaw,
    opts: ModelOptions,
    theory: int | None,
) -> Iterator[str]:
    """Iterate the sentences a reader has to see.

    Args:
        result: The result without its notes.
        first: The first pair's model.
        law: The amplitude law.
        opts: What was asked for.
        theory: Order that was used in the amplitude law, if any.
    """
    if result.memory is None:
        yield (
            "The memory was not seen. A model that pools converges even if it counts samples "
            "instead of time, so nothing here says that it survives another rate."
        )
    if result.rough and result.signal_order is not None:
        yield roughness_words(result.signal_order, refine=result.refine)
    yield from first.notes
    if not first.told:
        yield f"Measured natively: {first.reasons['protocol']}."
    elif opts.protocol == "native":
        yield "Measured natively, as asked: the model is called with tau = 1 on every grid."
    if (needed := _levels_needed(result, first)) is not None:
        moved = (first.fastest or 0.0) / 2**result.levels
        yield (
            f"The fastest mode moves on by |lambda| Delta = {number(moved, 2)} in a step of the "
            f"finest grid; an order settles where that is about 1 or less: levels={needed}."
        )
    if result.declared_order is None and theory is not None:
        yield f"The model declares no order; {theory} was taken from the order observed."
    if law.exponent is not None and law.n_pairs < result.n_pairs:
        yield f"The amplitude exponent is from {law.n_pairs} of {result.n_pairs} pairs."
    if result.refine == "interpolate":
        yield (
            f"Samples between those given were made up ({INTERPOLANT}): they bound the order that "
            "can be seen, and hide what happened between samples."
        )
    first_row, *finer = [row for row in result.orders if row.amplitude == _main(result)]
    at_rounding = settled(np.array([row.difference for row in (first_row, *finer)]), first.eps)
    if at_rounding and first_row.difference > FLOOR * first.eps and opts.reference == "ladder":
        yield (
            "From tau = 1/2 on the grids agree to rounding: errors are against the finest, and "
            "there is no order to see."
        )
    finest = (first_row, *finer)[-1]
    if result.error_budget.rounding > 0.1 * finest.difference > 0:
        yield (
            "The finest differences are within ten times the output's own rounding: read the "
            "coarser levels."
        )


def gap_words(climbs: Sequence[Sequence[Climb]], main: int) -> str:
    """Return a sentence on how far the ladder's limit is from the reference; empty without both.

    Args:
        climbs: What each pair shows at each amplitude.
        main: Index of the amplitude that the sentence is about.
    """
    gap = median_or_none(np.array([pair[main].convergence.limit_gap for pair in climbs]))
    if gap is None:
        return ""
    return (
        "Errors are against the solution of the layer's own differential equation, which the limit "
        f"that its outputs extrapolate to misses by {number(gap, 2)} (median)."
    )


def _levels_needed(result: ModelContinuity, first: Subject) -> int | None:
    """Return how often to halve the step until it resolves the fastest mode, where it does not.

    Errors of a one-step rule are a series in `lambda Delta tau`, which its first term rules from
    about 1 downwards. S4 with 16 to 128 states settles where the finest step reaches 1.
    """
    if result.outcome not in UNSETTLED or result.protocol != "rescale":
        return None
    if first.fastest is None or first.fastest <= 0.0:
        return None
    needed = round(math.log2(first.fastest))
    return needed if needed > result.levels else None


def _main(result: ModelContinuity) -> float:
    return result.amplitudes[nearest(result.amplitudes)]

"""The ladder with parts of the selection held, one after the other."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from timegrain.continuity.model.result import ModelContinuity
from timegrain.continuity.selective.held import PARTS
from timegrain.continuity.selective.result import HeldError, HeldRow

if TYPE_CHECKING:
    import torch

Ladders = dict[tuple[str, str], ModelContinuity]


def theory(model: "torch.nn.Module", held: str) -> float | None:
    """Return the amplitude exponent that theory gives a model with a part of its selection held.

    Args:
        model: The model without anything held.
        held: As in `HeldRow`.

    Returns:
        0 for an S6 with everything held, and for one without its skip term with `Delta` held; None
        where nothing is known.

    Math:
        With everything held the output is linear in the input. With `Delta` held,
        `h' = Delta (A h + B(u) u)` and `y = C(u) h`, with B and C linear in u: `a u` has the output
        `a^3 y` on every grid. Errors relative to the output then do not depend on `a`.
    """
    from timegrain.models.layers.s6 import S6

    if not isinstance(model, S6):
        return None
    return 0.0 if held == "all" or (held == "delta" and model.D is None) else None


def held_rows(ladders: Ladders, model: "torch.nn.Module") -> tuple[HeldRow, ...]:
    """Return what is left of the amplitude law, by discretisation and what is held.

    Args:
        ladders: What was measured.
        model: The first pair's, for what theory says of it.
    """

    def rows() -> Iterator[HeldRow]:
        for (discretization, held), ladder in ladders.items():
            low, high = ladder.amplitude_interval or (None, None)
            yield HeldRow(
                discretization=discretization,
                held=held,
                order=ladder.order,
                exponent=ladder.amplitude_exponent,
                exponent_low=low,
                exponent_high=high,
                theory=theory(model, held),
                reason=ladder.reasons.get("amplitude_exponent", ""),
            )

    return tuple(rows())


def held_errors(ladders: Ladders) -> tuple[HeldError, ...]:
    """Return errors and memory by discretisation, what is held, and amplitude.

    Args:
        ladders: What was measured.
    """

    def rows() -> Iterator[HeldError]:
        for (discretization, held), ladder in ladders.items():
            errors = {r.amplitude: r.error for r in ladder.errors if r.tau == ladder.working_tau}
            for ending in ladder.outcomes:
                memory = [r for r in ladder.memory or () if r.amplitude == ending.amplitude]
                yield HeldError(
                    discretization=discretization,
                    held=held,
                    amplitude=ending.amplitude,
                    error=errors.get(ending.amplitude),
                    memory=memory[0].memory if memory else None,
                    finest_memory=memory[-1].memory if memory else None,
                    outcome=ending.outcome,
                )

    return tuple(rows())


def cases(discretizations: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Iterate every discretisation with everything that can be held."""
    for discretization in discretizations:
        for held in PARTS:
            yield discretization, held

"""How large the numbers' own errors are: rounding, made-up samples, and the reference."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from timegrain.continuity.model.convergence import relative
from timegrain.continuity.model.inputs import INTERPOLANT, Inputs
from timegrain.continuity.model.ladder import Climb, at_working_times
from timegrain.continuity.model.options import ModelOptions, nearest
from timegrain.continuity.model.subject import Subject
from timegrain.core.seeds import stream
from timegrain.stats.norms import time_norm


@dataclass(frozen=True, kw_only=True)
class ErrorBudget:
    """Relative errors that are not the model's discretisation.

    Args:
        rounding: Change of the finest output of the first pair when every input sample moves by up
            to one spacing of the model's numbers; at least that spacing.
        interpolation: Change of the finest output of the first pair when linear takes the place of
            cubic interpolation; 0 where samples are exact or recorded.
        reference: Median change of the Richardson limit when the finest level is left out; None
            where there is no limit. Of the layer's own equation, the change of the first pair's
            solution when its tolerance is ten times as loose.
    """

    rounding: float
    interpolation: float
    reference: float | None


def error_budget(
    subject: Subject,
    inputs: Inputs,
    climbs: Sequence[Sequence[Climb]],
    *,
    opts: ModelOptions,
    rescale: bool,
) -> ErrorBudget:
    """Return the error budget at the amplitude nearest 1.

    Args:
        subject: The first pair's model.
        inputs: The signals.
        climbs: What each pair shows at each amplitude.
        opts: The measurement's options.
        rescale: Whether the model is told its step.
    """
    main = nearest(opts.amplitudes)
    amplitude, norm = opts.amplitudes[main], opts.norm
    level = inputs.levels
    tau = 2.0**-level if rescale else 1.0
    values = amplitude * inputs.values(0, level)
    moves = stream(opts.seed, "rounding").uniform(-1.0, 1.0, values.shape)
    batch = [values, values * (1.0 + subject.eps * moves)]
    other = inputs.other_values(0, level)
    if other is not None:
        batch.append(amplitude * other)
    read = subject.run(np.stack(batch), tau)["output"]
    runs = at_working_times(read, level, subject.pooled)
    changes = relative(time_norm(runs - runs[0], norm=norm), time_norm(runs[0], norm=norm))
    shifts = np.array([c[main].convergence.limit_shift for c in climbs])
    known = shifts[np.isfinite(shifts)]
    return ErrorBudget(
        rounding=max(float(changes[1]), subject.eps),
        interpolation=float(changes[2]) if other is not None else 0.0,
        reference=float(np.median(known)) if known.size else None,
    )


def budget_text(budget: ErrorBudget, *, reference: str = "ladder") -> str:
    """Return the budget as one line for people.

    Args:
        budget: The errors.
        reference: What the model's errors are against.
    """
    from timegrain.core.table import number

    own = " (the layer's own equation)" if reference == "ode" else ""
    made_up = (
        "none" if not budget.interpolation else f"{number(budget.interpolation, 2)} ({INTERPOLANT})"
    )
    return (
        f"rounding {number(budget.rounding, 2)}, interpolated samples {made_up}, "
        f"reference {number(budget.reference, 2)}{own}"
    )

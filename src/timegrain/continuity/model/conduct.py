"""How a foreign model behaves on calls alone: the same twice, each sequence for itself."""

from dataclasses import dataclass

import numpy as np

from timegrain.continuity.model.attempt import FAILURES, Attempt, first_line
from timegrain.continuity.model.chance import chance_in
from timegrain.continuity.model.readout import Array, spacing, to_array
from timegrain.continuity.model.subject import ROUNDING, Sample
from timegrain.core.errors import ModelError

# A model that computes in float32 inside rounds at 1e-7, and a long sum in another order at a
# hundred times that; one that is random, or mixes its sequences, is off by far more.
SAME = 1e-4


@dataclass(frozen=True, kw_only=True)
class Conduct:
    """What was seen.

    Args:
        constant: Whether two different signals have the same output.
        apart: Whether two sequences at once have the outputs, to rounding, that each has alone.
        note: What could not be seen; empty if all was.
    """

    constant: bool
    apart: bool
    note: str = ""


def check_conduct(attempt: Attempt, sample: Sample, name: str) -> Conduct:
    """Check that a model returns the same when called again, and that its sequences do not touch.

    Args:
        attempt: How to call it.
        sample: An input, `(1, time, channel)`.
        name: For errors.

    Raises:
        ModelError: If it is random or keeps a state between calls, gives no output for each
            sequence of a batch, or one that depends on the others in the batch.
    """
    other = 0.25 + 1.5 * sample[:, ::-1]  # differs at every time, and in every mean over time
    first, kind = _call(attempt, sample)
    second, _ = _call(attempt, other)
    again, _ = _call(attempt, sample)
    near = max(SAME, float(np.sqrt(spacing(kind))))
    if not _alike(again, first, near):
        drawn = chance_in(lambda: attempt.output(sample, 1.0))
        cause = f"; it draws random numbers ({drawn}), as dropout does that was left on"
        raise ModelError(
            f"{name} answers differently when it is called twice on the same input"
            + (cause if drawn else ""),
            got=_difference(again, first),
            expected="a model without chance, and without a state from call to call",
            hint="model.eval(), which turns dropout off, before it is wrapped or returned",
        )
    constant = first.shape == second.shape and np.array_equal(first, second)
    try:
        both, _ = _call(attempt, np.concatenate([sample, other]))
    except FAILURES as error:
        note = f"Not called with two sequences at once, where it fails ({first_line(error)})."
        return Conduct(constant=constant, apart=False, note=note)
    alone = np.concatenate([first, second])
    _check_apart(both, alone, near, name)
    return Conduct(constant=constant, apart=_alike(both, alone, ROUNDING * spacing(kind)))


def _check_apart(both: Array, apart: Array, near: float, name: str) -> None:
    if both.shape != apart.shape:
        raise ModelError(
            f"{name} does not return one output for each sequence",
            got=f"shape {both.shape} for a batch of two, {apart[:1].shape} for one",
            expected="the batch as the first axis of the output, too",
            hint="batch_first=True, or wrapping the model",
        )
    if not _alike(both, apart, near):
        raise ModelError(
            f"the output of {name} for one sequence depends on the others in its batch",
            got=_difference(both, apart),
            expected="axes (batch, time, channel), each sequence for itself",
            hint="batch_first=True where a recurrent torch module is built, or model.eval() where "
            "one normalises over its batch",
        )


def _call(attempt: Attempt, x: np.ndarray) -> tuple[Array, str]:
    return to_array(attempt.output(x, 1.0))


def _alike(one: Array, other: Array, near: float) -> bool:
    return one.shape == other.shape and _gap(one, other) <= near * float(np.abs(other).max())


def _gap(one: Array, other: Array) -> float:
    with np.errstate(over="ignore"):  # a difference beyond float64 is a difference
        return float(np.abs(one - other).max())


def _difference(one: Array, other: Array) -> str:
    if one.shape != other.shape:
        return f"shapes {one.shape} and {other.shape}"
    return f"values {_gap(one, other):.2g} apart in outputs up to {np.abs(other).max():.2g}"

"""`ModelContinuity` in ten lines for people."""

from typing import TYPE_CHECKING

from timegrain.continuity.model.budget import budget_text
from timegrain.continuity.model.options import nearest
from timegrain.core.outcome import Outcome
from timegrain.core.table import number

if TYPE_CHECKING:
    from timegrain.continuity.model.result import ModelContinuity

_SCOPES = {
    "layer": "the layer alone, seeded anew for every pair",
    "network": "the layer inside the residual network, seeded anew for every pair",
    "model": "the model as passed",
}
_PROTOCOLS = {"rescale": "told its step (tau)", "native": "not told its step (native)"}
_REFINES = {
    "exact": "known at every time",
    "interpolate": "interpolated between samples",
    "recorded": "recorded at the finest step",
}


def summary_lines(result: "ModelContinuity") -> list[tuple[str, str]]:
    """Return `(label, text)` lines of a result."""
    lines = [("outcome", f"{result.outcome.name}: {result.outcome.message}")]
    if result.outcome is not Outcome.CONVERGES:
        lines.append(("try", result.outcome.cure))
    lines += [
        ("order", _order(result)),
        ("error at tau=1", _errors(result)),
        ("amplitude law", _amplitude(result)),
        ("memory", _memory(result)),
    ]
    others = _other_outcomes(result)
    if others:
        lines.append(("elsewhere", others))
    return [
        *lines,
        ("measured", _measured(result)),
        ("input", _input(result)),
        ("own errors", budget_text(result.error_budget)),
    ]


def _order(r: "ModelContinuity") -> str:
    if r.order is None:
        return f"- ({r.reasons['order']})"
    text = f"{_fixed(r.order)}{_interval(r.interval)}"
    declared = "none declared" if r.declared_order is None else f"declared {r.declared_order}"
    return f"{text}, {declared}; {r.levels_used} levels agree"


def _errors(r: "ModelContinuity") -> str:
    first = {row.amplitude: row.error for row in r.errors if row.tau == 1.0}
    if all(e is None for e in first.values()):
        return f"- ({r.reasons['errors']})"
    return ", ".join(f"{number(e, 2)} at amplitude {number(a)}" for a, e in first.items())


def _amplitude(r: "ModelContinuity") -> str:
    if r.amplitude_exponent is None:
        return f"- ({r.reasons['amplitude_exponent']})"
    exponent = r.amplitude_exponent
    if abs(exponent) < 0.005:
        return f"error does not depend on amplitude (exponent {exponent:.0e})"
    return f"error grows as amplitude^{_fixed(exponent)}{_interval(r.amplitude_interval)}"


def _memory(r: "ModelContinuity") -> str:
    if r.memory is None:
        return f"- ({r.reasons['memory']})"
    amplitude = r.amplitudes[nearest(r.amplitudes)]
    rows = [row for row in r.memory if row.amplitude == amplitude]
    first, last = rows[0], rows[-1]
    if first.memory is None or last.memory is None:
        return f"- ({r.reasons['memory']})"
    window = number(r.dt * r.length)
    return (
        f"{_time(first.memory)} at tau=1, {_time(last.memory)} at tau=1/{round(1 / last.tau)} "
        f"(time units, of {window})"
    )


def _time(value: float) -> str:
    return "0" if value < 1e-9 else number(value, 3)


def _other_outcomes(r: "ModelContinuity") -> str:
    differing = [o for o in r.outcomes if o.outcome is not r.outcome]
    return ", ".join(f"{o.outcome.name} at amplitude {number(o.amplitude)}" for o in differing)


def _measured(r: "ModelContinuity") -> str:
    pairs = "1 pair" if r.n_pairs == 1 else f"{r.n_pairs} pairs"
    named = [f"{k}={v}" for k, v in r.options.items()]
    parts = [
        _SCOPES[r.scope],
        _PROTOCOLS[r.protocol],
        f"{r.norm} norm",
        r.dtype,
        f"{pairs} (medians)",
    ]
    return ", ".join([*parts, *named])


def _input(r: "ModelContinuity") -> str:
    return (
        f"{r.signal}, {r.d_input} channel{'' if r.d_input == 1 else 's'}, {_REFINES[r.refine]}; "
        f"{r.length} samples at step {number(r.dt)}, halved {r.levels} times"
    )


def _interval(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f" [{_fixed(interval[0])}, {_fixed(interval[1])}]"


def _fixed(value: float) -> str:
    """Return two decimals, zero without a sign."""
    return f"{round(value, 2) + 0.0:.2f}"

"""`ModelContinuity` in ten lines for people."""

from typing import TYPE_CHECKING

from timegrain.continuity.model.budget import budget_text
from timegrain.continuity.model.convergence import NEAR
from timegrain.continuity.model.options import nearest
from timegrain.continuity.model.refined import ratio_text
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
_PLACES = {"features": "its features", "pooled": "what it pools"}
_REFINES = {
    "exact": "known at every time",
    "interpolate": "interpolated between samples",
    "recorded": "recorded at the finest step",
    "resimulate": "simulated on every grid",
}


def summary_lines(result: "ModelContinuity") -> list[tuple[str, str]]:
    """Return `(label, text)` lines of a result."""
    lines = [("outcome", _outcome(result))]
    if result.cure != Outcome.CONVERGES.cure:
        lines.append(("try", result.cure))
    lines += [
        ("order", _order(result)),
        (f"error at {result.at_work}", _errors(result)),
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
        ("own errors", budget_text(result.error_budget, reference=result.reference)),
    ]


def _outcome(r: "ModelContinuity") -> str:
    told = "" if r.protocol == "rescale" else ", not told its step"
    return f"{r.outcome.name}{told}: {r.message}"


def _order(r: "ModelContinuity") -> str:
    if r.order is None:
        return f"- ({r.reasons['order']})"
    text = f"{_fixed(r.order)}{_interval(r.interval) or _none(r, 'interval')}"
    declared = "none declared" if r.declared_order is None else f"declared {r.declared_order}"
    return f"{text}, {declared}; {_agreeing(r.levels_used, of=r.levels + 1)}"


def _agreeing(used: int, *, of: int) -> str:
    if not used:
        return f"the {of} grids do not agree on it"
    return f"seen on all {of} grids" if used == of else f"seen on {used} of {of} grids"


def _errors(r: "ModelContinuity") -> str:
    first = [(row.amplitude, row.error) for row in r.errors if row.tau == r.working_tau]
    if all(error is None for _, error in first):
        return f"- ({r.reasons['errors']})"
    texts = [
        f"no limit at amplitude {number(a)}" if e is None else f"{number(e, 2)} at {number(a)}"
        for a, e in first
    ]
    known = next(i for i, (_, error) in enumerate(first) if error is not None)
    amplitude, error = first[known]
    texts[known] = f"{number(error, 2)} of {scale_text(r.norm)} at amplitude {number(amplitude)}"
    off = off_text(r)
    return ", ".join(texts) + (f"; {off}" if off else "")


def scale_text(norm: str) -> str:
    """Return what errors are relative to."""
    return "the limit's largest value" if norm == "sup" else "the limit's root mean square"


def off_text(result: "ModelContinuity") -> str:
    """Return a clause on the amplitudes whose error at work is above 1; empty if there is none.

    Args:
        result: What was measured.
    """
    off = [
        (row.amplitude, row.error)
        for row in result.errors
        if row.tau == result.working_tau and row.error is not None and row.error > 1.0
    ]
    if not off:
        return ""
    (amplitude, error), *others = off
    first = (
        f"at amplitude {number(amplitude)} the working grid's output is off by "
        f"{number(error, 2)} times its size"
    )
    return ", ".join([first, *(f"at {number(a)} by {number(e, 2)} times" for a, e in others)])


def slopes_text(result: "ModelContinuity") -> str:
    """Return a clause on local exponents that differ by more than .3; empty if they do not.

    Args:
        result: What was measured.
    """
    local = result.local_exponents()
    if len(local) < 2 or max(s for *_, s in local) - min(s for *_, s in local) <= NEAR:
        return ""
    parts = [f"{_fixed(s)} from {number(a)} to {number(b)}" for a, b, s in local]
    return f"not one power: {', '.join(parts)}"


def _amplitude(r: "ModelContinuity") -> str:
    if r.amplitude_exponent is None:
        return f"- ({r.reasons['amplitude_exponent']})"
    exponent, slopes = r.amplitude_exponent, slopes_text(r)
    if abs(exponent) < 0.005 and not slopes:
        return f"error does not depend on amplitude (exponent {exponent:.0e})"
    verb = "grows" if exponent > 0 else "falls"
    beside = _interval(r.amplitude_interval)
    if not beside:  # with the same reason it is told beside the order
        same = r.reasons.get("amplitude_interval") == r.reasons.get("interval")
        beside = " (no interval)" if same else _none(r, "amplitude_interval")
    text = f"error {verb} as amplitude^{_fixed(exponent)}{beside}"
    return f"{text} on the whole, {slopes}" if slopes else text


def _memory(r: "ModelContinuity") -> str:
    if not r.memory_seen:
        return f"- ({r.reasons['memory']})"
    amplitude = r.amplitudes[nearest(r.amplitudes)]
    rows = [row for row in r.memory or () if row.amplitude == amplitude]
    first, last = rows[0], rows[-1]
    where = "" if first.layer == "output" else f", at {_PLACES.get(first.layer, first.layer)}"
    return (
        f"{_time(first.memory)} at tau {ratio_text(first.tau)}, {_time(last.memory)} at tau "
        f"{ratio_text(last.tau)}, in "
        f"{r.time_unit} (the signal lasts {number(r.dt * r.length)}){where}"
    )


def _time(value: float | None) -> str:
    return "0" if value is not None and value < 1e-9 else number(value, 3)


def _other_outcomes(r: "ModelContinuity") -> str:
    differing = [o for o in r.outcomes if o.outcome is not r.outcome]
    return ", ".join(f"{o.outcome.name} at amplitude {number(o.amplitude)}" for o in differing)


def _measured(r: "ModelContinuity") -> str:
    pairs = "1 pair" if r.n_pairs == 1 else f"{r.n_pairs} pairs"
    named = [f"{k}={v}" for k, v in r.options.items()]
    if r.discretization is not None and "discretization" not in r.options:
        named.append(f"discretization={r.discretization} (its default)")
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
        f"{r.length} samples at step {number(r.dt)}, {_halvings(r.levels)}"
    )


def _halvings(levels: int) -> str:
    return f"halved {'once' if levels == 1 else f'{levels} times'} ({levels + 1} grids)"


def _none(r: "ModelContinuity", field: str) -> str:
    """Return why there is no interval, in brackets; of results of earlier versions, that."""
    return f" (no interval: {why})" if (why := r.reasons.get(field)) else " (no interval)"


def _interval(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f" [{_fixed(interval[0])}, {_fixed(interval[1])}]"


def _fixed(value: float) -> str:
    """Return two decimals, zero without a sign."""
    return f"{round(value, 2) + 0.0:.2f}"

"""`Selectivity` in a few lines for people; every conclusion is made from the numbers."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from timegrain.continuity.model.refined import medians_text
from timegrain.core.table import number

if TYPE_CHECKING:
    from timegrain.continuity.selective.result import DistributionRow, HeldRow, Selectivity

NONE_LEFT = 1e-6  # exponents below this are rounding
SMALL = 0.05  # an exponent below this is told as "does not depend on"
MOST = 0.5  # a part that takes this share of an exponent or an error away carries it
NAMES = {"nothing": "nothing", "delta": "Delta", "B": "B", "C": "C", "all": "all three"}


def summary_lines(result: "Selectivity") -> list[tuple[str, str]]:
    """Return `(label, text)` lines of a result."""
    lines = [("outcome", f"{result.outcome.name}: {result.outcome.message}")]
    lines += [("conclusion", text) for text in conclusions(result)]
    for discretization in result.discretizations:
        lines.append((discretization, _law(result, discretization)))
        lines.append(("error at tau 1", _errors(result, discretization)))
    lines += [("Delta", _delta(result)), ("stiffness", _stiffness(result))]
    lines += [("memory", _memory(result)), ("measured", _measured(result))]
    return lines


def conclusions(result: "Selectivity") -> list[str]:
    """Return what follows from the numbers, one sentence each.

    Args:
        result: What was measured.
    """
    found = [_carrier(result, d) for d in result.discretizations]
    return [*found, *_between(result), *_loud(result), *_theory(result)]


def _carrier(r: "Selectivity", discretization: str) -> str:
    whole = r.law(discretization, "nothing").exponent
    if whole is None:
        return f"With {discretization} there is no amplitude law to attribute."
    if abs(whole) < SMALL:
        return f"With {discretization} the error does not depend on the amplitude."
    left = {
        held: abs(row.exponent) / abs(whole)
        for held in ("delta", "B", "C")
        if (row := r.law(discretization, held)).exponent is not None
    }
    carriers = [NAMES[held] for held, share in left.items() if share <= 1 - MOST]
    told = ", ".join(f"{NAMES[held]} {_percent(share)}" for held, share in left.items())
    verb = "grows" if whole > 0 else "falls"
    head = f"With {discretization} the error {verb} as amplitude^{_fixed(whole)}"
    who = f"{' and '.join(carriers)} carries it" if carriers else "no part alone carries that"
    if len(carriers) > 1:
        who = f"{' and '.join(carriers)} each carry it"
    return f"{head}, and {who}: of the exponent, each leaves when held: {told}."


def _loud(r: "Selectivity") -> Iterator[str]:
    """Tell what the error at the working step owes to each part, at the largest amplitude."""
    loudest = max(r.amplitudes)
    for discretization in r.discretizations:
        found = {
            row.held: row.error
            for row in r.errors
            if row.discretization == discretization and row.amplitude == loudest and row.error
        }
        parts = {held: found[held] for held in ("delta", "B", "C") if held in found}
        if "nothing" not in found or not parts:
            continue
        least = min(parts, key=lambda held: parts[held])
        told = ", ".join(f"{number(e, 2)} with {NAMES[h]} held" for h, e in parts.items())
        head = f"At amplitude {number(loudest)} and tau 1 the error of {discretization} is"
        end = f"{NAMES[least]} costs most of it"
        if parts[least] > found["nothing"] * (1 - MOST):
            end = "no part alone costs half of it"
        yield f"{head} {number(found['nothing'], 2)}, {told}: {end}."


def _between(r: "Selectivity") -> Iterator[str]:
    known = {d: e for d in r.discretizations if (e := r.law(d, "nothing").exponent) is not None}
    if len(known) < 2:
        return
    (high, most), (low, least) = sorted(known.items(), key=lambda item: -item[1])[:2]
    if most - least < SMALL:
        yield f"The discretisation of B makes no difference to the exponent ({high}, {low})."
    else:
        yield (
            f"The exponent is {_fixed(most - least)} higher with {high} than with {low}: so much "
            "of it is the rule for B, not the selection alone."
        )


def _theory(r: "Selectivity") -> Iterator[str]:
    told = [row for row in r.attribution if row.theory is not None and row.exponent is not None]
    if not told:
        return
    off = max(abs(row.exponent - row.theory) for row in told)  # type: ignore[operator]
    held = " and with ".join(dict.fromkeys(NAMES[row.held] for row in told))
    if off < NONE_LEFT:
        yield f"As theory says, the exponent is 0 with {held} held (largest: {number(off, 1)})."
    else:
        yield (
            f"Theory says that the exponent is 0 with {held} held, and it is off by "
            f"{number(off, 2)}: the ladder does not resolve this model."
        )


def _law(r: "Selectivity", discretization: str) -> str:
    parts = []
    for row in r.attribution:
        if row.discretization == discretization:
            parts.append(f"{NAMES[row.held]} held {exponent_text(row)}")
    return "exponent with " + ", ".join(parts)


def exponent_text(row: "HeldRow") -> str:
    """Return an exponent with its interval, or why there is none."""
    if row.exponent is None:
        return f"- ({row.reason})"
    text = _fixed(row.exponent)
    if row.exponent_low is None or row.exponent_high is None or abs(row.exponent) < NONE_LEFT:
        return text
    return f"{text} [{_fixed(row.exponent_low)}, {_fixed(row.exponent_high)}]"


def _errors(r: "Selectivity", discretization: str) -> str:
    parts = []
    for held, called in NAMES.items():
        errors = [
            number(row.error, 2)
            for row in r.errors
            if (row.discretization, row.held) == (discretization, held)
        ]
        parts.append(f"{called} held {' '.join(errors)}")
    amplitudes = ", ".join(number(a) for a in r.amplitudes)
    return f"at amplitudes {amplitudes}: {'; '.join(parts)}"


def _delta(r: "Selectivity") -> str:
    rows, where = _of(r, "delta")
    swings, _ = _of(r, "swing")
    parts = [f"{_spread(row)} at amplitude {number(row.amplitude)}" for row in rows]
    swing = ", ".join(number(row.median, 2) for row in swings)
    return (
        f"median [5 %, 95 %] {', '.join(parts)}{where}; in half of the channels its 95 % point in "
        f"time is more than {swing} times its 5 % point"
    )


def _stiffness(r: "Selectivity") -> str:
    rows, where = _of(r, "stiffness")
    parts = [
        f"{_spread(row)} at {number(row.amplitude)}, {_percent(row.above_one or 0.0)} above 1"
        for row in rows
    ]
    return f"|lambda| Delta {', '.join(parts)}{where}"


def _memory(r: "Selectivity") -> str:
    rows, where = _of(r, "memory")
    parts = [f"{_spread(row)} at {number(row.amplitude)}" for row in rows]
    twins = [
        f"{number(row.memory, 2)} at {number(row.amplitude)}"
        for row in r.errors
        if (row.discretization, row.held) == (r.own_discretization, "nothing")
        and row.memory is not None
    ]
    told = f"; by twin inputs at tau 1: {', '.join(twins)}" if twins else ""
    return f"of modes {', '.join(parts)}{where}{told}, in {r.time_unit}"


def _measured(r: "Selectivity") -> str:
    return (
        f"{r.scope}, {r.norm} norm, {medians_text(r)}, {r.own_discretization} its own; "
        f"{r.signal}, {r.length} samples at step {number(r.dt)}, halved {r.levels} times"
    )


def _of(r: "Selectivity", quantity: str) -> "tuple[list[DistributionRow], str]":
    """Return the rows of the layer with the stiffest steps, and a word on which it is."""
    stiff = [row for row in r.distributions if row.quantity == "stiffness"]
    layer = max(stiff, key=lambda row: row.high).layer
    rows = [d for d in r.distributions if (d.layer, d.quantity) == (layer, quantity)]
    many = len(r.layers)
    return rows, "" if many == 1 else f" in {layer}, the stiffest of {many} selective layers"


def _spread(row: "DistributionRow") -> str:
    return f"{number(row.median, 2)} [{number(row.low, 2)}, {number(row.high, 2)}]"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _fixed(value: float) -> str:
    """Return two decimals, zero without a sign."""
    return f"{round(value, 2) + 0.0:.2f}"

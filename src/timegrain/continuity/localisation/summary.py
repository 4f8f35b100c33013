"""`Localisation` in lines for people."""

from typing import TYPE_CHECKING

from timegrain.continuity.model.refined import medians_text
from timegrain.core.outcome import Outcome
from timegrain.core.table import number

if TYPE_CHECKING:
    from timegrain.continuity.localisation.result import Localisation, ModuleRow

_MOST = 24  # modules that a page of text holds


def summary_lines(result: "Localisation") -> list[tuple[str, str]]:
    """Return `(label, text)` lines of a result."""
    lines = [("lost first in", _first(result)), ("because", result.because)]
    cure = _cure(result)
    if cure != Outcome.CONVERGES.cure:
        lines.append(("try", cure))
    shown = result.modules[:_MOST]
    lines += [(f"{row.position}", _module(row)) for row in shown]
    if len(result.modules) > len(shown):
        lines.append(("...", f"{len(result.modules) - len(shown)} more, in rows()"))
    if result.skipped:
        lines.append(("skipped", _skipped(result)))
    return [*lines, ("measured", _measured(result)), ("input", _input(result))]


def _first(r: "Localisation") -> str:
    if r.first is None:
        return "none"
    row = next(m for m in r.modules if m.loses)
    place = f"{row.position} of {len(r.modules)} in the order in which calls end"
    return f"{r.first} ({row.type}), {place}: {r.outcome.name}"


def _cure(r: "Localisation") -> str:
    return r.advice or (Outcome.CONVERGES.cure if r.first is None else r.outcome.cure)


def _module(row: "ModuleRow") -> str:
    name = row.module or "(model)"
    parts = [row.outcome.name]
    if row.outcome is not row.convergence:
        parts.append(f"values {row.convergence.name}")
    if row.order is not None:
        low, high = row.interval or (None, None)
        beside = "" if low is None else f" [{low:.2f}, {high:.2f}]"
        parts.append(f"order {row.order:.2f}{beside}")
    if row.change is not None:
        parts.append(f"changes by {number(row.change, 2)}")
    if row.memory_ratio is not None:
        parts.append(
            f"memory {number(row.memory, 2)} to {number(row.memory_finest, 2)} (x "
            f"{number(row.memory_ratio, 2)})"
        )
    if row.amplitude_exponent is not None:
        parts.append(f"error as amplitude^{row.amplitude_exponent:.2f}")
    loses = f"; loses {row.loses}" if row.loses else ""
    return f"{name} ({row.type}): {', '.join(parts)}{loses}"


def _skipped(r: "Localisation") -> str:
    reasons: dict[str, list[str]] = {}
    for skipped in r.skipped:
        reasons.setdefault(skipped.reason, []).append(skipped.module or "(model)")
    return "; ".join(f"{_several(names)}: {reason}" for reason, names in reasons.items())


def _several(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{names[0]} and {len(names) - 1} more"


def _measured(r: "Localisation") -> str:
    told = "told its step (tau)" if r.protocol == "rescale" else "not told its step (native)"
    pairs = medians_text(r)
    named = [f"{k}={v}" for k, v in r.options.items()]
    return ", ".join([told, f"{r.norm} norm", r.dtype, pairs, *named])


def _input(r: "Localisation") -> str:
    return (
        f"{r.signal}, {r.d_input} channel{'' if r.d_input == 1 else 's'}; {r.length} samples at "
        f"step {number(r.dt)}, halved {r.levels} times"
    )

"""The study in words, made from its numbers."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from timegrain.core.table import number
from timegrain.study.presets.paper_continuity.settings import COINCIDE, SETTLED

if TYPE_CHECKING:
    from timegrain.study.presets.paper_continuity.result import GrowthCell, PaperContinuity


def lines(result: "PaperContinuity") -> list[tuple[str, str]]:
    """Return `(label, text)` lines, the conclusion last."""
    amplitudes, taus = result.amplitudes, result.taus
    drawn = (
        f"{result.n_systems:,} of each family, {result.n_states} states; {len(amplitudes)} "
        f"amplitudes from {amplitudes[0]:g} to {amplitudes[-1]:g}; tau from {share(taus[0])} to "
        f"{share(taus[-1])}"
    )
    return [
        ("systems", drawn),
        *((kind_text(g), _growth_line(result, g)) for g in result.growths),
        ("reference", _reference(result)),
        ("dropped", dropped_text(result)),
        ("conclusion", conclusion(result)),
    ]


def conclusion(result: "PaperContinuity") -> str:
    """Return what the numbers say of convergence and of the amplitude, in a few sentences."""
    families = list(dict.fromkeys(g.family for g in result.growths))
    sentences = [_convergence(result, families), *(_growth(result, f) for f in families)]
    compared = _compared(result, families)
    return " ".join([*sentences, *([compared] if compared else [])])


def kind_text(cell: "GrowthCell") -> str:
    """Return `S4, zoh, sup`."""
    return f"{cell.family.upper()}, {cell.discretization}, {cell.norm}"


def share(tau: float) -> str:
    """Return a power of two below 1 as `1/1024`.

    Example:
        >>> share(2**-10), share(1.0)
        ('1/1024', '1')
    """
    return "1" if tau == 1 else f"1/{round(1 / tau)}"


def span(values: Iterable[float], digits: int = 2) -> str:
    """Return the least and the greatest of some numbers, as one where they print alike.

    Example:
        >>> span([0.98, 1.011]), span([1.0, 1.001])
        ('0.98 to 1.01', '1.00')
    """
    known = list(values)
    ends = list(dict.fromkeys(f"{v:.{digits}f}" for v in (min(known), max(known))))
    return " to ".join(ends)


def dropped_text(result: "PaperContinuity") -> str:
    """Return how many systems were left out, and where most of them."""
    worst = max(result.errors, key=lambda c: c.n_dropped)
    if not worst.n_dropped:
        return "no system; none of their outputs underflows to zero"
    return (
        f"at most {worst.n_dropped} of {result.n_systems} systems ({worst.family.upper()} at "
        f"amplitude {worst.amplitude:g}), whose output underflows to zero"
    )


def _growth_line(result: "PaperContinuity", cell: "GrowthCell") -> str:
    kind = {"discretization": cell.discretization, "norm": cell.norm}
    tau, ends = result.taus[0], (result.amplitudes[0], result.amplitudes[-1])
    first, last = (result.row(cell.family, amplitude=a, tau=tau, **kind).error for a in ends)
    orders = [
        o.order
        for o in result.orders
        if (o.family, o.discretization, o.norm) == (cell.family, *kind.values())
        and o.order is not None
    ]
    interval = "" if cell.low is None else f" [{cell.low:.2f}, {cell.high:.2f}]"
    times = "-" if cell.growth is None else f"x {cell.growth:.2f}{interval}"
    return (
        f"error {number(first)} at amplitude {ends[0]:g}, {number(last)} at {ends[1]:g} ({times}) "
        f"at tau {share(tau)}; order {span(orders) if orders else '-'}"
    )


def _reference(result: "PaperContinuity") -> str:
    moved = [o.reference for o in result.orders if o.reference is not None]
    least = [c.error for c in result.errors if c.error is not None]
    if not moved or not least:
        return "unknown: every output underflows to zero"
    return (
        f"moves by at most {number(max(moved), 2)} of itself (median) when extrapolated from steps "
        f"twice as large; the smallest median error is {number(min(least), 2)}"
    )


def _convergence(result: "PaperContinuity", families: list[str]) -> str:
    found = {f: [o.order for o in result.orders if o.family == f] for f in families}
    known = {f: [p for p in orders if p is not None] for f, orders in found.items()}
    rest = [f for f in families if not known[f] or any(abs(p - 1) > SETTLED for p in known[f])]
    if not rest:
        names = " and ".join(f.upper() for f in families)
        every = span(p for orders in known.values() for p in orders)
        return (
            f"{names} converge at order 1 (observed {every}) by every discretisation, in both "
            "norms and at every amplitude; neither diverges."
        )
    texts = [
        f"{f.upper()} has not settled at order 1 on this ladder (observed "
        f"{span(known[f]) if known[f] else 'nothing: every output underflows'})."
        if f in rest
        else f"{f.upper()} converges at order 1 (observed {span(known[f])})."
        for f in families
    ]
    return " ".join(texts)


def _growth(result: "PaperContinuity", family: str) -> str:
    cells = [g for g in result.growths if g.family == family]
    name, ends = family.upper(), f"from amplitude {result.amplitudes[0]:g} to "
    ends += f"{result.amplitudes[-1]:g}"
    known = [g.growth for g in cells if g.growth is not None]
    if not known:
        return f"{name}'s growth with the amplitude is unknown: its outputs underflow."
    spreads = [g.spread for g in cells if g.spread is not None]
    if len(spreads) == len(cells) and max(spreads) <= COINCIDE:
        return (
            f"{name}'s curves coincide across amplitudes (to {number(max(spreads), 2)}): its "
            "constant does not depend on the amplitude."
        )
    lows = [g.low for g in cells if g.low is not None]
    highs = [g.high for g in cells if g.high is not None]
    inside = f", 95 % intervals within {span([*lows, *highs])}" if lows else ""
    if lows and (min(lows) > 1 or max(highs) < 1):
        verb = "grows" if min(lows) > 1 else "falls"
        return f"{name}'s constant {verb} {span(known)} times {ends}{inside}."
    return (
        f"Whether {name}'s constant depends on the amplitude cannot be told from "
        f"{result.n_systems} systems ({span(known)} times {ends}{inside})."
    )


def _compared(result: "PaperContinuity", families: list[str]) -> str | None:
    if len(families) < 2:
        return None
    texts = []
    for amplitude in (result.amplitudes[0], result.amplitudes[-1]):
        first, second = (
            result.row(f, amplitude=amplitude, tau=result.taus[0]).error for f in families[:2]
        )
        if not first or second is None:
            return None
        texts.append(f"{second / first:.1f} times at amplitude {amplitude:g}")
    one, other = (f.upper() for f in families[:2])
    return (
        f"{other}'s error at tau {share(result.taus[0])} is {one}'s {texts[0]} and {texts[1]} "
        "(ZOH, sup)."
    )

"""`RateTransfer` in lines for people."""

from math import inf
from typing import TYPE_CHECKING

from timegrain.core.table import number, ordinal
from timegrain.training.remarks import interval_text
from timegrain.training.wording import count

if TYPE_CHECKING:
    from timegrain.training.deployment.result import RateScore, RateTransfer

WAYS = {"phase": "thinned", "fir": "filtered"}


def summary_lines(result: "RateTransfer") -> list[tuple[str, str]]:
    """Return `(label, text)` lines of a result."""
    r = result
    at_trained = f"{r.metric} {r.score:.3f}{interval_text(r.low, r.high, r.over)}"
    lines = [
        ("cheapest", headline(r)),
        (
            "first trained at" if tuned_since(r) else "trained at",
            f"{rate_text(r, 1)}: {at_trained}, trivial {r.trivial_score:.3f}",
        ),
    ]
    lines += [
        (f"{rate_text(r, row.stride)}, {way_text(row)}", row_text(row))
        for row in r.scores
        if row.stride > 1 and row.score is not None
    ]
    lines += [(f"{rate}, {way}", f"not measured: {why}") for rate, way, why in _unmeasured(r)]
    tested = count(r.n_test, "test case")
    over = "over them" if not r.over.grouped else r.over.describe()
    none = "no " * (r.over.n_units < 2)
    lines.append(("n", f"{tested}, {none}95 % intervals {over}"))
    return lines


def _unmeasured(r: "RateTransfer") -> list[tuple[str, str, str]]:
    rows = [row for row in r.scores if row.score is None]
    found = [(rate_text(r, row.stride), WAYS[row.decimator], row.reason) for row in rows]
    return list(dict.fromkeys(found))


def headline(result: "RateTransfer") -> str:
    """Return the cheapest rate in a clause."""
    r = result
    if r.stride is None:
        return f"unknown: {r.reasons['stride']}"
    limit = f"a drop of {r.tolerance:g} by its interval"
    if r.stride > 1:
        return f"{rate_text(r, r.stride)}, within {limit}"
    first = "the rate of its first training" if tuned_since(r) else "the trained rate"
    if all(row.stride == 1 or row.score is None for row in r.scores):
        return f"{rate_text(r, 1)}, {first}: no other could be scored"
    return f"{rate_text(r, 1)}, {first}: no slower one is within {limit}{_too_few(r)}"


def _too_few(r: "RateTransfer") -> str:
    """Say that the test cases, not the drop, are what a slower rate fails by."""
    drops = [(row.stride, row.drop) for row in r.scores if row.stride > 1 and row.drop is not None]
    stride, drop = min(drops, default=(1.0, inf))
    if drop > r.tolerance:
        return ""
    cases = count(r.n_test, "test case")
    if r.over.grouped:
        # more cases of as many groups would hardly narrow the interval
        plural = "stretches" if r.over.unit == "stretch" else None
        cases = f"{cases} of {count(r.over.n_units, r.over.unit, plural)}"
    return (
        f"; the drop at {rate_text(r, stride)} is {signed(drop)}, but {cases} cannot show that it "
        "is that small"
    )


def tuned_since(result: "RateTransfer") -> bool:
    """Return whether the network was fine-tuned at another step than that tau = 1 stands for."""
    return "dt_tuned" in result.provenance.parameters


def rate_text(result: "RateTransfer", stride: float) -> str:
    """Return a rate in hertz, or the step where hertz are unknown or fewer than one."""
    if result.hz is not None and result.hz >= 1:
        return f"{number(result.hz / stride, 6)} Hz"
    if result.unit == "sample":
        if stride != round(stride):
            return f"every {number(stride, 6)} samples"
        return "every sample" if stride == 1 else f"every {ordinal(round(stride))} sample"
    return f"every {number(result.dt_trained * stride, 6)} {result.unit}"


def way_text(row: "RateScore") -> str:
    """Return how the samples were made and whether the network was told."""
    return f"{WAYS[row.decimator]}, {'told' if row.told else 'not told'}"


def row_text(row: "RateScore") -> str:
    """Return a score with its drop."""
    return "not measured" if row.score is None else f"{row.score:.3f}, drop {drop_text(row)}"


def drop_text(row: "RateScore") -> str:
    """Return a drop with its interval."""
    if row.drop is None:
        return "not measured"
    if row.drop_low is None or row.drop_high is None:
        return f"{signed(row.drop)} (no interval)"
    return f"{signed(row.drop)} ({signed(row.drop_low)} to {signed(row.drop_high)})"


def signed(value: float) -> str:
    """Return a number with three decimals, zero without a sign.

    Example:
        >>> signed(-0.0001), signed(-0.25)
        ('0.000', '-0.250')
    """
    text = f"{value:.3f}"
    return text.removeprefix("-") if float(text) == 0 else text

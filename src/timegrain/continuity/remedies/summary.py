"""`Remedy` in lines for people: what a cure does, and what it does not."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from timegrain.continuity.model.convergence import NEAR
from timegrain.continuity.model.refined import medians_text
from timegrain.core.table import number

if TYPE_CHECKING:
    from timegrain.continuity.remedies.result import Remedy, RemedyRow

COLLAPSED = 0.5  # of the memory, as for the outcome
_LISTED = 3  # modules that a line names
_LESS = 0.9  # an error that falls by less than a tenth stays
_FLATTER = 0.1  # and so does an exponent that falls by less than this

Effect = tuple[bool, str]


def summary_lines(result: "Remedy") -> list[tuple[str, str]]:
    """Return `(label, text)` lines of a result."""
    before, after = result.at("before"), result.at("after")
    lines = [
        ("cure", f"{result.cure}: it {', and '.join(result.does)}{_limit(result)}"),
        ("changed", _changed(result)),
        ("before", f"{before.outcome.name}: {before.outcome.message}"),
        ("after", f"{after.outcome.name}: {after.outcome.message}"),
    ]
    found = list(effects(result))
    for label, sign in (("does", True), ("does not", False)):
        lines += [(label, text) for good, text in found if good is sign]
    return [
        *lines,
        (f"at {result.at_work}", _shift(result)),
        ("by amplitude", _errors(result)),
        ("measured", _measured(result)),
        (
            "input",
            f"{result.signal}, {result.d_input} channel{'s' * (result.d_input > 1)}; "
            f"{result.length} samples at step {number(result.dt)}, halved {result.levels} times",
        ),
    ]


def effects(result: "Remedy") -> Iterator[Effect]:
    """Iterate what a cure does (True) and what it does not (False), in words.

    Args:
        result: Before and after.
    """
    for name in dict.fromkeys(row.module for row in result.stages):
        rows = [row for row in result.stages if row.module == name]
        if len(rows) == 2:
            yield from _of(name, *rows, at_work=result.at_work)


def _of(name: str, before: "RemedyRow", after: "RemedyRow", *, at_work: str) -> Iterator[Effect]:
    place = f" of {name}" if name else ""
    if before.memory_ratio is not None and after.memory_ratio is not None:
        kept = before.memory_ratio < COLLAPSED <= after.memory_ratio
        if kept or after.memory_ratio < COLLAPSED:
            how = "keep" if kept else "save"
            ratios = _pair(before.memory_ratio, after.memory_ratio)
            yield kept, f"{how} the memory{place}: m_J/m_0 {ratios}"
    if before.order is not None and after.order is not None and not name:
        yield (
            after.order - before.order > NEAR,
            f"raise the order: {_fixed(before.order, before.interval)} to "
            f"{_fixed(after.order, after.interval)}",
        )
    if before.error is not None and after.error is not None:
        yield (
            after.error < _LESS * before.error,
            (f"lower the error{place} at {at_work}: {_pair(before.error, after.error)}"),
        )
    was, now = before.amplitude_exponent, after.amplitude_exponent
    if was is not None and now is not None and not name and was > _FLATTER:
        yield (
            was - now > _FLATTER,
            f"flatten the law of amplitudes: exponent {_fixed(was, before.amplitude_interval)} to "
            f"{_fixed(now, after.amplitude_interval)}",
        )


def _fixed(value: float, interval: tuple[float, float] | None) -> str:
    """Return two decimals, zero without a sign, and the interval where there is one."""
    text = f"{round(value, 2) + 0.0:.2f}"
    return text if interval is None else f"{text} [{interval[0]:.2f}, {interval[1]:.2f}]"


def _pair(before: float, after: float) -> str:
    return f"{number(before, 2)} to {number(after, 2)}"


def _limit(r: "Remedy") -> str:
    return "" if r.delta_max is None else f" = {number(r.delta_max)}"


def _changed(r: "Remedy") -> str:
    names = [name or "the model itself" for name in r.changed]
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")


def _shift(r: "Remedy") -> str:
    if r.shift == 0.0 and not {"dilate", "interpolate"}.issuperset(r.cure.split("+")):
        return "the same output on this input, to the last digit"
    if r.working_tau != 1.0:
        return f"the output moves by {number(r.shift, 2)} of its size on the working grid"
    if r.shift == 0.0:
        return "the same output, to the last digit: a trained model can be used as it is"
    return (
        f"the output moves by {number(r.shift, 2)} of its size: a trained model is to be trained "
        "on, or checked on its task"
    )


def _errors(r: "Remedy") -> str:
    return f"error at {r.at_work} " + ", ".join(
        f"{number(e.before, 2)} to {number(e.after, 2)} at {number(e.amplitude)}" for e in r.errors
    )


def _measured(r: "Remedy") -> str:
    told = "told its step (tau)" if r.protocol == "rescale" else "not told its step (native)"
    if r.protocol_before not in ("", r.protocol):
        told = f"not told its step (native) before the cure, {told} after"
    named = [f"{k}={v}" for k, v in r.options.items()]
    return ", ".join([told, f"{r.norm} norm", r.dtype, medians_text(r), *named])

"""The step a user gives, beside what a source knows of its own."""

import re
from dataclasses import replace
from numbers import Real

import numpy as np

from timegrain.core.errors import ConfigError
from timegrain.data.audit.result import TimestampAudit
from timegrain.data.dataset import Dataset
from timegrain.data.units import SECONDS, UNKNOWN, meant_unit, plural, unit_ratio

AGREEMENT = 0.01


def with_step(
    data: Dataset, dt: float | None, unit: str | None, *, from_file: bool = False
) -> Dataset:
    """Return the dataset with the step and unit that were given.

    Times in a file are evidence: a step beside them has to agree, and then names their unit. The
    step that a shipped set or a function states is replaced, with a note.

    Args:
        data: As read.
        dt: Step, in `unit`, or None.
        unit: Time unit of `dt`, seconds when not given; alone, of the times, or the one in which
            to count times of a file whose unit is known.
        from_file: Whether the step of `data`, where it has one, comes from times in a file.

    Raises:
        ConfigError: If the step or the unit contradicts what is known, or is no number or word.
        DataError: If the step is not positive.
    """
    if unit is not None and not _is_word(unit):
        raise ConfigError("a unit is a word", got=repr(unit), expected="such as 's' or 'ms'")
    if dt is None:
        return data if unit is None else _named(data, unit, from_file=from_file)
    if not _is_number(dt):
        raise ConfigError("a step is a number", got=f"{dt!r:.60}", expected="dt > 0, in its unit")
    unit = unit or "s"
    if from_file and data.unit != "sample" and dt > 0:
        return _agreed(data, dt, unit)
    if data.times is not None:
        raise ConfigError(
            f"{data.name!r} has times of its own, irregular ones",
            got=f"a step of {dt:g} {unit}",
            hint="leaving the step out",
        )
    notes = data.notes
    if data.unit != "sample":
        notes = (*notes, f"the source's step of {data.dt:g} {data.unit} was replaced by yours")
    return replace(data, dt=float(dt), unit=unit, notes=notes)


def given_step(
    dt: float | str | None, unit: str | None, hz: float | None
) -> tuple[float | None, str | None]:
    """Return step and unit from what a user says: a number, a text with its unit, or a rate.

    Args:
        dt: Step, in `unit`; or as text with its unit, such as `"20ms"`; text without one counts
            seconds.
        unit: Time unit of `dt`.
        hz: Samples per second, in the place of both.

    Raises:
        ConfigError: If the step or its unit was given twice, or is no positive time.

    Example:
        >>> given_step("20ms", None, None), given_step(None, None, 50.0), given_step(2, "h", None)
        ((20.0, 'ms'), (0.02, 's'), (2, 'h'))
    """
    if hz is not None:
        if dt is not None or unit is not None:
            said = ("dt=", dt) if dt is not None else ("unit=", unit)
            raise ConfigError(
                "the step was given twice",
                got=f"hz={hz!r} and {said[0]}{said[1]!r}",
                expected="one of them",
            )
        if not _is_number(hz) or not 0 < hz < float("inf"):
            raise ConfigError(
                "hz= takes a positive rate", got=f"{hz!r:.60}", expected="such as 500"
            )
        return 1.0 / hz, "s"
    if not isinstance(dt, str):
        return dt, unit
    found = _STEP.fullmatch(dt)
    value = _value(found[1]) if found else float("nan")
    if found is None or found[2] not in ("", *SECONDS) or not 0 < value < float("inf"):
        meant = meant_unit(found[2]) if found else None
        raise ConfigError(
            "dt= takes a positive time",
            got=f"{dt!r:.60}",
            expected=f"a number and {', '.join(SECONDS)}",
            hint=None if meant is None or found is None else f"dt='{found[1]}{meant}'",
        )
    if found[2] and unit not in (None, found[2]):
        raise ConfigError("the unit was given twice", got=f"dt={dt!r} and unit={unit!r}")
    return value, found[2] or unit or "s"


_STEP = re.compile(r"\s*([0-9.]+(?:[eE][-+]?[0-9]+)?)\s*([^\W\d]*)\s*")


def _value(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _is_number(given: object) -> bool:
    return isinstance(given, Real) and not isinstance(given, bool | np.bool_)


def _is_word(given: object) -> bool:
    return isinstance(given, str) and bool(given.strip())


def _named(data: Dataset, unit: str, *, from_file: bool) -> Dataset:
    if data.times is None and data.unit == "sample":
        raise ConfigError(
            f"the step of {data.name!r} is unknown, so a unit alone says nothing",
            got=f"unit={unit!r}",
            hint="dt= with it",
        )
    ratio = unit_ratio(data.unit, unit)
    if ratio is None or not (from_file or data.unit in (unit, UNKNOWN)):
        raise ConfigError(
            f"{data.name!r} knows its time unit", got=f"unit={unit!r}", expected=data.unit
        )
    return _counted_in(data, unit, ratio)


def _agreed(data: Dataset, dt: float, unit: str) -> Dataset:
    ratio = unit_ratio(data.unit, unit)
    if ratio is None:
        raise ConfigError(
            f"{data.name!r} knows its time unit",
            got=f"a step in {plural(unit, 2)}",
            expected=data.unit,
        )
    mean = _mean_step(data)
    if all(abs(step * ratio / dt - 1) > AGREEMENT for step in (mean, data.dt)):
        raise ConfigError(
            f"the times of {data.name!r} contradict the step that was given",
            got=f"a step of {_said(dt, unit)}",
            expected=f"{mean:.6g} {plural(data.unit, mean)}, the mean step of the times, "
            f"within {100 * AGREEMENT:g} %",
            hint=_fitting_unit(data, mean, dt, unit) or "leaving the step out; the times say it",
        )
    return _counted_in(data, unit, ratio)


def _counted_in(data: Dataset, unit: str, ratio: float) -> Dataset:
    return replace(
        data,
        dt=data.dt * ratio,
        unit=unit,
        times=None if data.times is None else tuple(t * ratio for t in data.times),
        audits=_audits(data, unit, ratio),
        notes=_without_unit_note(data),
    )


def unit_note(unit: str) -> str:
    """Return the note on times whose unit nobody told; empty for a known unit."""
    if unit != UNKNOWN:
        return ""
    return "the file does not say in which unit its times count; a step given beside them would"


def _audits(data: Dataset, unit: str, ratio: float) -> tuple[TimestampAudit, ...]:
    return tuple(
        replace(
            audit,
            unit=unit,
            step=audit.step * ratio,
            gap_time=audit.gap_time * ratio,
            longest_gap=audit.longest_gap * ratio,
            # sentences about known units are in one that reads well, whatever the audit's
            actions=tuple(re.sub(rf"\b{UNKNOWN}s?\b", unit, a) for a in audit.actions),
        )
        for audit in data.audits
    )


def _without_unit_note(data: Dataset) -> tuple[str, ...]:
    return tuple(n for n in data.notes if n != unit_note(data.unit))


def _said(dt: float, unit: str) -> str:
    rate = f" ({1 / (dt * SECONDS[unit]):.6g} Hz)" if unit in SECONDS else ""
    return f"{dt:.6g} {plural(unit, dt)}{rate}"


def _fitting_unit(data: Dataset, mean: float, dt: float, unit: str) -> str:
    """Name the unit in which times of an unknown one would fit; never assume it."""
    for name, size in SECONDS.items() if data.unit == UNKNOWN and unit in SECONDS else ():
        if abs(mean * size / (dt * SECONDS[unit]) - 1) <= AGREEMENT:
            return f"a step of {mean:.6g} {name}, if the times count in {name}"
    return ""


def _mean_step(data: Dataset) -> float:
    if data.times is None:
        return data.dt
    steps = np.concatenate([np.diff(t) for t in data.times])
    return float((steps / steps.size).sum())

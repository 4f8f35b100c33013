"""`check_source`: does a source of data keep its promises?"""

import os
from collections.abc import Callable, Iterable
from typing import Any

from timegrain.core.contract import FAILED
from timegrain.core.errors import DataError, TimegrainError
from timegrain.core.outcome import Outcome
from timegrain.core.provenance import Provenance
from timegrain.core.users_code import users_code
from timegrain.data.dataset import Dataset
from timegrain.data.generated.generator import Generator
from timegrain.data.generated.option import whole
from timegrain.data.load import generator_of
from timegrain.data.source_check.catalogue import CHECKS, Check, chosen
from timegrain.data.source_check.result import SourceCheck
from timegrain.data.source_check.row import SourceRow, failed
from timegrain.data.source_check.subject import Subject

_CASES = whole(256, 2, None, "the number of cases of a part that are looked at")


def check_source(
    source: str | os.PathLike[str] | Dataset | Generator,
    *,
    cases: int = 256,
    only: Iterable[str] = (),
    skip: Iterable[str] = (),
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> SourceCheck:
    """Check whether a source of data keeps its promises; `source_checks` says what they are.

    Any source is checked on what it offers: one without labels is not asked about its split, one
    whose cases are not made by number not about the order in which they are made.

    Args:
        source: The name of a shipped set, `module:function` or a path, as for `load_dataset`; a
            dataset; or a `Generator` of yours.
        cases: Of a generated source, how many cases of each part are looked at.
        only: Names of checks to run; all if there are none.
        skip: Names of checks to leave out.
        seed: Of the split, and of all that is drawn.
        progress: Called with a line about each check as it ends.
        options: Words of `load_task`, such as `window=128, ahead=1`, or options of a generator.

    Returns:
        One row a check and case: passed, failed, noted, or not applicable with the reason.

    Raises:
        ConfigError: If a word does not go with the source, or no check is left.
        UnknownNameError: If there is no such source, or no such check.
        DataError: If a file or a function cannot be loaded at all. A failed check raises nothing,
            see `SourceCheck.raise_if_failed`; nor does a `Generator` whose cases cannot be made,
            which fails `loading`.

    Note:
        A contract that is kept says nothing about how hard a task is, nor that its labels are
        true.

    Example:
        >>> check_source("ItalyPowerDemand", only=("splits", "metric")).passed
        True
    """
    checks = chosen(only, skip)
    cases = _CASES.take("cases", cases)
    said = {"cases": cases, **_said(options)}
    try:
        subject = Subject.of(source, cases=cases, seed=seed, options=options)
    except DataError as error:
        made = None if isinstance(source, Dataset) else generator_of(source)
        if made is None:
            raise
        return _not_made(made.name, error, seed=seed, said=said)
    rows: list[SourceRow] = []
    for name, check in checks.items():
        found = _run(name, check, subject)
        rows += found
        if progress is not None:
            worst = FAILED if any(row.verdict == FAILED for row in found) else found[0].verdict
            progress(f"{subject.name}: {name} {worst}")
    left_out = [name for name in CHECKS if name not in checks]
    wrong = any(row.verdict == FAILED for row in rows)
    return SourceCheck(
        name=subject.name,
        outcome=Outcome.BREAKS_CONTRACT if wrong else Outcome.KEEPS_CONTRACT,
        provenance=Provenance.collect(seed=seed, parameters={"source": subject.name, **said}),
        notes=(f"Not run: {', '.join(left_out)}.",) if left_out else (),
        made=subject.generator is not None,
        n_sequences=len(subject.data),
        data_version=subject.data.version,
        checks=tuple(rows),
    )


def _not_made(name: str, error: DataError, *, seed: int, said: dict[str, Any]) -> SourceCheck:
    """Return the result on a generator of which no task can be made."""
    cure = error.hint or "making cases as Cases describes them"
    return SourceCheck(
        name=name,
        outcome=Outcome.BREAKS_CONTRACT,
        provenance=Provenance.collect(seed=seed, parameters={"source": name, **said}),
        notes=("No check was run: no task could be made of the source.",),
        made=True,
        n_sequences=0,
        checks=(failed(str(error).splitlines()[0], cure=cure).of("loading"),),
    )


def _run(name: str, check: Check, subject: Subject) -> list[SourceRow]:
    """Run one check; what the source raises in it is a failure of the source."""
    rows: list[SourceRow] = []
    try:
        with users_code(subject.name, DataError):
            for row in check(subject):
                rows.append(row.of(name))
    except TimegrainError as error:
        cure = error.hint or "making the cases that the check asks for"
        rows.append(failed(str(error).splitlines()[0], cure=cure).of(name))
    return rows


def _said(options: dict[str, Any]) -> dict[str, Any]:
    plain = (str, int, float, bool, type(None))
    return {k: v if isinstance(v, plain) else repr(v) for k, v in options.items()}

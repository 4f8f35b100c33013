"""What every command does with its results: print, store, and judge them against thresholds."""

import contextlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from timegrain.cli.wording import shell_form
from timegrain.core.result import Result
from timegrain.core.table import number


def emit(
    results: Sequence[Result],
    *,
    as_json: bool,
    output: Path | None,
    title: str = "timegrain",
    parts: Sequence[tuple[str, Result]] = (),
) -> None:
    """Print the results on stdout and, when asked, write them with a report into a directory.

    Args:
        results: What the command made; the first is the main one.
        as_json: Print one JSON object, or a list when there are several results.
        output: Directory for `result.json`, `rows.parquet`, `report.html` and `parts/`.
        title: Heading of the report.
        parts: Further results, stored but not printed.
    """
    if output is not None:
        store(results, output, title=title, parts=parts)
    if as_json:
        plain = [r.to_dict() for r in results]
        one = plain[0] if len(plain) == 1 else plain
        # \u escapes where stdout could not carry the letters themselves
        ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
        print(json.dumps(one, indent=2, allow_nan=False, ensure_ascii=ascii_only))
    else:
        print("\n\n".join(_texts(results)))
    if output is not None:
        print(f"report: {output / 'report.html'}", file=sys.stderr)


def _texts(results: Sequence[Result]) -> Iterator[str]:
    """Give the results as text, options as the shell has them, each note where it is first.

    What a note says of a score stands under each score, though the words be the same.
    """
    from timegrain.training.remarks import unlearned_sentences
    from timegrain.training.run import TrainingRun

    seen: set[str] = set()
    for result in results:
        own = unlearned_sentences(result) if isinstance(result, TrainingRun) else ()
        notes = tuple(note for note in result.notes if note in own or note not in seen)
        seen.update(notes)
        told = result if notes == result.notes else replace(result, notes=notes)
        tabular = type(told).__repr__ is not Result.__repr__
        yield shell_form(repr(told)) if tabular else told.printed(shell_form)


@contextlib.contextmanager
def prints_on_stderr() -> Iterator[None]:
    """Send what a user's own code prints to stderr: stdout belongs to the result."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def store(
    results: Sequence[Result],
    output: Path,
    *,
    title: str,
    parts: Sequence[tuple[str, Result]] = (),
) -> None:
    """Write the results and their report into a directory.

    Args:
        results: The first becomes `result.json`, the others go to `parts/`.
        output: The directory.
        title: Heading of the report.
        parts: Further `(name, result)` pairs for `parts/`.
    """
    from timegrain.core.output import write_output
    from timegrain.report import write_report

    others = [(f"{r.kind}-{r.name}", r) for r in results[1:]]
    write_output(output, results[0], parts=[*others, *parts])
    everything = [*results, *(r for _, r in parts)]
    write_report(everything, output / "report.html", title=title)


def judge(results: Sequence[Result], limits: Mapping[str, float]) -> int:
    """Return exit status 1 if a figure of a result is null or below its limit, else 0.

    Args:
        results: Results with the fields that `limits` names.
        limits: Field name to the lowest value that passes.
    """
    failures = [
        f"{result.name}: {name} {_said(value, limit)}"
        for result in results
        for name, limit in limits.items()
        if (value := getattr(result, name)) is None or value < limit
    ]
    for line in failures:
        print(f"fail-under: {line}", file=sys.stderr)
    return 1 if failures else 0


def _said(value: float | None, limit: float) -> str:
    """Enough digits to tell a figure from its limit."""
    if value is None:
        return f"is unknown, so not {number(limit, 4)}"
    digits = next((n for n in range(4, 17) if number(value, n) != number(limit, n)), 17)
    return f"is {number(value, digits)}, below {number(limit, digits)}"

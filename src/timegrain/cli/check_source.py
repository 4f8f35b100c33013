"""`timegrain check-source NAME`: does a source of data keep the contract of a source?"""

import sys
from typing import Annotated

from cyclopts import Parameter

from timegrain.cli.case_flags import UNCUT, CaseFlags
from timegrain.cli.file_flags import UNSAID, FileFlags
from timegrain.cli.flags import Json, Names, OutputDirectory, Seed


def check_source(
    sources: Names,
    /,
    *,
    n_cases: Annotated[
        int, Parameter(help="Of a generated set, how many cases of each part are looked at.")
    ] = 256,
    only: Annotated[str | None, Parameter(help="Comma list of checks to run.")] = None,
    skip: Annotated[str | None, Parameter(help="Comma list of checks to leave out.")] = None,
    cases: CaseFlags = UNCUT,
    files: FileFlags = UNSAID,
    seed: Seed = 0,
    json: Json = False,
    output: OutputDirectory = None,
) -> int:
    """Check that a task is what it is said to be; exit with 1 if it is not.

    Shipped sets go by name (timegrain ls), your own by path or module:function. Shapes, grid,
    missing samples, loading twice, labels, what stands on both sides of the split, and whether
    right answers score 1 and trivial ones what the task says, each where the source has it.
    """
    from timegrain.cli import options as words
    from timegrain.cli.emit import emit, prints_on_stderr
    from timegrain.core.output import check_writable
    from timegrain.data import check_source as look_at

    if output is not None:
        check_writable(output)
    asked = {**files.options(), **cases.options()}
    said = {word: value for word, value in asked.items() if value is not None}
    results = []
    with prints_on_stderr():
        for name in words.names(sources):
            results.append(
                look_at(
                    name,
                    cases=n_cases,
                    only=words.names(only) if only else (),
                    skip=words.names(skip) if skip else (),
                    seed=seed,
                    progress=lambda text: print(f"... {text}", file=sys.stderr),
                    **said,
                )
            )
    emit(
        results,
        as_json=json,
        output=output,
        title=f"Source check: {', '.join(r.name for r in results)}",
    )
    return 0 if all(result.passed for result in results) else 1

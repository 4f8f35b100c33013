"""`timegrain demo`: the whole product once, on data that ships in packages."""

import sys
import time
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from timegrain.cli.flags import Seed


def demo(
    *,
    output: Annotated[Path, Parameter(help="Directory for the results and the report.")] = (
        Path("demo-report")
    ),
    fast: Annotated[
        bool, Parameter(negative="", help="Tiny settings, about half a minute, for a smoke test.")
    ] = False,
    seed: Seed = 0,
) -> int:
    """Measure shipped sets and two models, train, compare, and write a report: under 8 minutes.

    Ends by printing the verdict and where the report is.
    """
    from timegrain.advice.judgement import verdict
    from timegrain.cli.emit import store
    from timegrain.cli.progress import Progress
    from timegrain.core.output import check_writable
    from timegrain.study import DemoSettings, run_demo

    check_writable(output)
    started = time.perf_counter()
    settings = DemoSettings.fast(seed=seed) if fast else DemoSettings(seed=seed)
    with Progress() as progress:
        parts = run_demo(settings, progress=progress)
    summary = verdict([result for _, result in parts])
    store([summary], output, title="timegrain demo", parts=parts)
    print(repr(summary))
    print(f"\n{time.perf_counter() - started:.0f} s", file=sys.stderr)
    print(f"report: {output / 'report.html'}")
    return 0

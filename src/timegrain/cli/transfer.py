"""`timegrain transfer`: how slow may the samples be that a stored network is given?"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from timegrain.cli.case_flags import CaseFlags
from timegrain.cli.file_flags import GROUP, FileFlags, say_unused
from timegrain.cli.flags import TRANSFER_FIGURES, DryRun, Json, OutputDirectory
from timegrain.cli.flags import TransferFailUnder as FailUnder


@Parameter(name="*", group=GROUP)
@dataclass(frozen=True, kw_only=True)
class RecordedFlags(FileFlags):
    """The flags of a file where `--hz` and `--dt` name the rates to score at."""

    hz: Annotated[
        float | None, Parameter(name="--file-hz", help="Samples per second of the file.")
    ] = None
    dt: Annotated[
        str | None, Parameter(name="--file-dt", help="Step of the file with its unit, such as 2ms.")
    ] = None
    time: Annotated[
        str | None,
        Parameter(help="Column with times; --file-hz or --file-dt names their unit."),
    ] = None


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class TrainedCaseFlags(CaseFlags):
    """The flags of the cases; where none is said, they are those of the training."""

    window: Annotated[
        str | None,
        Parameter(help="Cut recordings into cases, 128 samples or 2s; else as for its training."),
    ] = None


UNSAID, UNCUT = RecordedFlags(), TrainedCaseFlags()


def transfer(
    checkpoint: Annotated[
        Path, Parameter(help="Directory of a stored network, as train --output names it.")
    ],
    task: Annotated[
        str, Parameter(help="The labelled dataset it was trained on, by name or path.")
    ],
    /,
    *,
    hz: Annotated[
        str | None, Parameter(name="--hz", help="Rates to score at, such as 125,250.")
    ] = None,
    dt: Annotated[
        str | None, Parameter(name="--dt", help="Or their steps, such as 4ms,8ms.")
    ] = None,
    tau: Annotated[
        str | None,
        Parameter(help="Or their steps over the trained one; 1,2,4 where no rate is said."),
    ] = None,
    tolerance: Annotated[
        float, Parameter(help="Drop in score that is allowed, by the end of its interval.")
    ] = 0.02,
    cases: TrainedCaseFlags = UNCUT,
    files: RecordedFlags = UNSAID,
    seed: Annotated[
        int | None,
        Parameter(
            help="Of the split into train and test; that of the training, where it is not said.",
            validator=Number(gte=0, lt=2**32),
        ),
    ] = None,
    json: Json = False,
    output: OutputDirectory = None,
    dry_run: DryRun = False,
    fail_under: FailUnder = None,
) -> int:
    """Score a stored network at slower rates, and name the cheapest that is good enough.

    The test cases are scored with samples dropped as they are and behind the anti-aliasing filter,
    the network told its step and not told. They are cut and split as for its training, if none of
    --window, --hop and --ahead, and no --seed, says otherwise; the rate of the file, where it does
    not know it, is --file-hz or --file-dt here.
    """
    from timegrain.cli import options as words
    from timegrain.cli.emit import emit, judge, prints_on_stderr
    from timegrain.cli.file_rate import file_rate_words
    from timegrain.core.output import check_writable
    from timegrain.training import load_checkpoint, load_recorded, score_rates
    from timegrain.training.deployment.measure import check_rates
    from timegrain.training.deployment.rates import steps_at

    limits = words.thresholds(fail_under, TRANSFER_FIGURES)
    if output is not None:
        check_writable(output)
    stored = load_checkpoint(checkpoint)
    strides = steps_at(
        stored,
        hz=None if hz is None else words.numbers(hz, "--hz"),
        dt=None if dt is None else words.names(dt),
        taus=None if tau is None else words.numbers(tau, "--tau"),
    )
    before = stored.record.cases or {}
    cases, files = cases.as_stored(before), files.as_made(before)
    if seed is None:
        seed = int(before.get("seed") or 0)
    with file_rate_words(), prints_on_stderr():
        recorded = load_recorded(task, seed=seed, **cases.options(), **files.options())
    say_unused(recorded.task.notes)
    check_rates(stored, recorded, strides=strides, tolerance=tolerance)
    if dry_run:
        said = ", ".join(f"{k:g}" for k in strides)
        print(f"would score {stored.record.model['name']} at tau = {said}", file=sys.stderr)
        return 0
    result = score_rates(stored, recorded, strides=strides, tolerance=tolerance, seed=seed)
    emit([result], as_json=json, output=output, title=f"Other rates: {result.name}")
    return judge([result], limits)

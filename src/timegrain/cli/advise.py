"""`timegrain advise`: at which rate, and in which window, is a label still there?"""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from timegrain.cli.case_flags import CaseFlags
from timegrain.cli.file_flags import UNSAID, FileFlags
from timegrain.cli.flags import (
    ADVICE_FIGURES,
    AdviceFailUnder,
    DryRun,
    Json,
    Names,
    OutputDirectory,
    Seed,
)

if TYPE_CHECKING:
    from timegrain.data import Dataset


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class TriedCaseFlags(CaseFlags):
    """The flags of the cases, where several windows can be tried."""

    window: Annotated[
        str | None,
        Parameter(help="Windows to try: 128,256 in samples or 1s,2s; none for whole sequences."),
    ] = None
    ahead: Annotated[
        str | None,
        Parameter(help="Forecast --target so far ahead: 24 samples, or a time such as 1h."),
    ] = None


UNCUT = TriedCaseFlags()


def advise(
    datasets: Names,
    /,
    *,
    cases: TriedCaseFlags = UNCUT,
    strides: Annotated[str, Parameter(help="Keep every k-th sample, for these k.")] = (
        "2,4,8,16,32,64"
    ),
    metric: Annotated[
        Literal["accuracy", "balanced_accuracy", "macro_f1", "auroc", "r2", "mae"] | None,
        Parameter(help="The score; else accuracy for classes, r2 for values."),
    ] = None,
    max_cases: Annotated[int, Parameter(help="With more cases, so many are drawn.")] = 1000,
    files: FileFlags = UNSAID,
    seed: Seed = 0,
    json: Json = False,
    output: OutputDirectory = None,
    dry_run: DryRun = False,
    fail_under: AdviceFailUnder = None,
) -> int:
    """Say the lowest sampling rate at which a label can still be predicted, with its evidence.

    Every window and stride is scored by cross-validation with whole groups (--group) or recordings
    (--id) held out. The label is --target: a column that is constant in every recording, or one
    that changes along it, which needs --window. With --ahead, a --target of numbers is forecast as
    a number, one of words as a class.
    """
    from timegrain.advice.sampling.recommend import advise as make_advice
    from timegrain.cli import options as words
    from timegrain.cli.emit import emit, judge
    from timegrain.core.output import check_writable
    from timegrain.data.duration import check_length

    limits = words.thresholds(fail_under, ADVICE_FIGURES)
    if output is not None:
        check_writable(output)
    ks = words.whole_numbers(strides, "--strides")
    windows = None if cases.window is None else words.lengths(cases.window, "--window")
    hop, ahead = cases.hop, cases.ahead
    check_length(hop, "--hop")
    check_length(ahead, "--ahead")
    loaded = [_load(files, name, ahead, seed) for name in words.names(datasets)]
    for data, _ in loaded:
        _check_lengths(data, windows, hop, ahead)
    results = []
    for data, channel in loaded:
        if dry_run:
            print(f"would advise on {data.describe()}", file=sys.stderr)
            continue
        advice = make_advice(
            data,
            windows=windows,
            hop=hop,
            ahead=ahead,
            target=channel,
            strides=ks,
            metric=metric,
            seed=seed,
            max_cases=max_cases,
            label=files.target,
            progress=lambda text: print(f"... {text}", file=sys.stderr),
        )
        results.append(advice)
    if dry_run:
        return 0
    title = f"Sampling advice: {', '.join(r.name for r in results)}"
    emit(results, as_json=json, output=output, title=title)
    return judge(results, limits)


def _check_lengths(
    data: "Dataset", windows: tuple[str, ...] | None, hop: str | None, ahead: str | None
) -> None:
    """Refuse lengths that do not fit a dataset before anything is measured on another."""
    from timegrain.data.duration import to_samples

    for option, length in (*(("--window", w) for w in windows or ()), ("--hop", hop)):
        if length is not None:
            to_samples(length, data.dt, data.unit, word=option)
    if ahead is not None:
        to_samples(ahead, data.dt, data.unit, word="--ahead")


def _load(
    files: FileFlags, name: str, ahead: str | None, seed: int
) -> "tuple[Dataset, str | None]":
    """Return a dataset, and the channel to forecast where `--target` names one."""
    from dataclasses import replace

    from timegrain.data.forecast import load_to_forecast

    if ahead is None:
        return files.load(name, seed=seed), None

    def load(column: str | None) -> "Dataset":
        return replace(files, target=column).load(name, seed=seed)

    return load_to_forecast(load, files.target)

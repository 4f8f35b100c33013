"""`timegrain data`: how continuous is a dataset in time?"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from timegrain.cli.file_flags import UNSAID, FileFlags
from timegrain.cli.flags import (
    CURVE_FIGURES,
    CurveFailUnder,
    DryRun,
    Json,
    Names,
    OutputDirectory,
    Seed,
)

if TYPE_CHECKING:
    from timegrain.core.result import Result
    from timegrain.data import Dataset


def data(
    datasets: Names,
    /,
    *,
    strides: Annotated[str, Parameter(help="Keep every k-th sample, for these k.")] = (
        "2,4,8,16,32,64"
    ),
    window: Annotated[
        str | None,
        Parameter(help="Cut into pieces, 128 samples or 2s; variation is taken within them."),
    ] = None,
    hop: Annotated[
        str | None, Parameter(help="From one piece's start to the next; else no overlap.")
    ] = None,
    detrend: Annotated[
        Literal["linear"] | None, Parameter(help="Remove each piece's straight line first.")
    ] = None,
    tol: Annotated[
        float,
        Parameter(help="D may be so far above the noise within the horizon; shuffled data have 1."),
    ] = 0.05,
    windows: Annotated[
        str | None, Parameter(help="Draw D against these windows: 32,64,128 or 1s,2s; or auto.")
    ] = None,
    dial: Annotated[
        list[str] | None,
        Parameter(help="Change one thing and measure again: window_shuffle=1,2,4;noise=inf,20."),
    ] = None,
    retention: Annotated[
        int | None,
        Parameter(help="With --dial: what the label keeps of every so many-th sample."),
    ] = None,
    shard: Annotated[
        str | None,
        Parameter(help="Read part i/n of the recordings into --output; then timegrain merge."),
    ] = None,
    files: FileFlags = UNSAID,
    seed: Seed = 0,
    json: Json = False,
    output: OutputDirectory = None,
    dry_run: DryRun = False,
    fail_under: CurveFailUnder = None,
) -> int:
    """Measure how continuous a dataset is: which samples could be left out and interpolated.

    Shipped sets go by name (timegrain ls), your own by path: .csv or .parquet (a row is a time
    step, a column a channel; --id, --time and others name the rest), .npy, .npz, .ts, .wav, .flac,
    .edf (each rate by itself). Comma lists are measured one after the other; a quoted pattern such
    as 'folder/*.parquet' is one set.
    """
    from timegrain.cli import options as words
    from timegrain.cli.emit import emit, judge
    from timegrain.continuity import dataset_continuity, dose_response, window_profile
    from timegrain.continuity.dataset import check_dataset
    from timegrain.continuity.stream.choose import check_shard, describe_files, is_streamed
    from timegrain.continuity.stream.files import part_result, stream_files
    from timegrain.core.output import check_writable
    from timegrain.data.duration import check_length

    limits = words.thresholds(fail_under, CURVE_FIGURES)
    if output is not None:
        check_writable(output)
    ks = words.whole_numbers(strides, "--strides")
    doses = words.dials(dial, retention)
    sizes = words.windows(windows)
    shared: Any = {"strides": ks, "detrend": detrend, "tol": tol, "seed": seed}
    names = words.names(datasets)
    check_length(window, "--window")
    check_length(hop, "--hop")
    said = {"--hop": hop, "--windows": windows, "--dial": doses, "--retention": retention}
    said["--source-options"] = files.source_options
    whole_only = tuple(option for option, value in said.items() if value)
    if shard is not None:
        given = {"--json": json, "--fail-under": fail_under}
        of_result = tuple(option for option, value in given.items() if value)
        where = check_shard(shard, names, output, whole_only=whole_only, of_result=of_result)
        return _write_part(names[0], files, *where, dry_run, window, shared)
    streamed = [name for name in names if is_streamed(name, files.options(), whole=whole_only)]
    loaded = [
        d for name in names if name not in streamed for d in files.load_rates(name, seed=seed)
    ]
    cuts = [_cut(d, window, hop) for d in loaded]
    drawn = [None if sizes is None else _windows(d, sizes) for d in loaded]
    for d, cut in zip(loaded, cuts, strict=True):
        check_dataset(d, **cut, **shared)
    if dry_run:
        for text in (*(d.describe() for d in loaded), *map(describe_files, streamed)):
            print(f"would measure {text}", file=sys.stderr)
        return 0
    parts = [stream_files(n, files.options(), window=window, **shared) for n in streamed]
    results = [dataset_continuity(d, **cut, **shared) for d, cut in zip(loaded, cuts, strict=True)]
    results += [part_result(part) for part in parts]
    curves: list[Result] = []
    for d, cut, against in zip(loaded, cuts, drawn, strict=True):
        if windows is not None:
            curves.append(window_profile(d, against, **shared))
        if doses:
            size = cut["window"]
            curves.append(dose_response(d, doses, window=size, retention=retention, **shared))
    # a report holds no path as it was typed
    title = f"Task continuity: {', '.join(r.name for r in results)}"
    emit([*results, *curves], as_json=json, output=output, title=title)
    return judge(results, limits)


def _write_part(
    name: str,
    files: FileFlags,
    place: tuple[int, int],
    directory: Path,
    dry_run: bool,
    window: str | None,
    shared: dict[str, Any],
) -> int:
    from timegrain.continuity.stream.choose import describe_files
    from timegrain.continuity.stream.files import stream_files
    from timegrain.continuity.stream.part import write_part

    if dry_run:
        part = f"{place[0]}/{place[1]} of {describe_files(name)}"
        print(f"would read part {part}", file=sys.stderr)
        return 0
    found = stream_files(name, files.options(), window=window, shard=place, **shared)
    print(f"{found.describe()}: {write_part(directory, found)}", file=sys.stderr)
    return 0


def _windows(data: "Dataset", sizes: tuple[str, ...]) -> tuple[int, ...]:
    from timegrain.data.duration import to_samples

    return tuple(to_samples(s, data.dt, data.unit, word="--windows", least=3) for s in sizes)


def _cut(data: "Dataset", window: str | None, hop: str | None) -> dict[str, Any]:
    """Return window and hop in samples of a dataset."""
    from timegrain.data.duration import to_samples

    found: dict[str, Any] = {}
    for word, text, least in (("window", window, 3), ("hop", hop, 1)):
        found[word] = (
            None
            if text is None
            else to_samples(text, data.dt, data.unit, word=f"--{word}", least=least)
        )
    return found

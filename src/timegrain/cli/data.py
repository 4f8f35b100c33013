"""`timegrain data`: how continuous is a dataset in time?"""

import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from timegrain.cli.file_flags import UNSAID, FileFlags
from timegrain.cli.flags import DryRun, FailUnder, Json, Names, OutputDirectory, Seed

if TYPE_CHECKING:
    from timegrain.core.result import Result
    from timegrain.data import Dataset

_FIGURES = {"horizon": "samples", "horizon_time": "time", "continuity": "1 - D(2)"}


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
        str | None, Parameter(help="Draw D against these windows, 32,64,128, or auto.")
    ] = None,
    dial: Annotated[
        list[str] | None,
        Parameter(help="Change one thing and measure again: window_shuffle=1,2,4;noise=inf,20."),
    ] = None,
    retention: Annotated[
        int | None,
        Parameter(help="With --dial: what the label keeps of every so many-th sample."),
    ] = None,
    files: FileFlags = UNSAID,
    seed: Seed = 0,
    json: Json = False,
    output: OutputDirectory = None,
    dry_run: DryRun = False,
    fail_under: FailUnder = None,
) -> int:
    """Measure how continuous a dataset is: which samples could be left out and interpolated.

    Shipped sets go by name (timegrain ls), your own by path: .csv (a row is a time step, a column
    a channel), .npy, .npz, .ts, .wav, .flac, .edf (each rate by itself). Comma lists are
    measured one after the other.
    """
    from timegrain.cli import options as words
    from timegrain.cli.emit import emit, judge
    from timegrain.continuity import dataset_continuity, dose_response, window_profile
    from timegrain.continuity.dataset import check_dataset
    from timegrain.core.output import check_writable

    limits = words.thresholds(fail_under, _FIGURES)
    if output is not None:
        check_writable(output)
    ks = words.whole_numbers(strides, "--strides")
    doses = words.dials(dial, retention)
    sizes = words.windows(windows)
    loaded = [d for name in words.names(datasets) for d in files.load_rates(name)]
    shared: Any = {"strides": ks, "detrend": detrend, "tol": tol, "seed": seed}
    cuts = [_cut(d, window, hop) for d in loaded]
    for d, cut in zip(loaded, cuts, strict=True):
        check_dataset(d, **cut, **shared)
    if dry_run:
        print("\n".join(f"would measure {d.describe()}" for d in loaded), file=sys.stderr)
        return 0
    results = [dataset_continuity(d, **cut, **shared) for d, cut in zip(loaded, cuts, strict=True)]
    curves: list[Result] = []
    for d, cut in zip(loaded, cuts, strict=True):
        if windows is not None:
            curves.append(window_profile(d, sizes, **shared))
        if doses:
            size = cut["window"]
            curves.append(dose_response(d, doses, window=size, retention=retention, **shared))
    emit([*results, *curves], as_json=json, output=output, title=f"Task continuity: {datasets}")
    return judge(results, limits)


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

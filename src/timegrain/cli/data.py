"""`timegrain data`: how continuous is a dataset in time?"""

import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from timegrain.cli.file_flags import UNSAID, FileFlags
from timegrain.cli.flags import DryRun, FailUnder, Json, Names, OutputDirectory, Seed

if TYPE_CHECKING:
    from timegrain.core.result import Result

_FIGURES = {"horizon": "samples", "horizon_time": "time", "continuity": "1 - D(2)"}


def data(
    datasets: Names,
    /,
    *,
    strides: Annotated[str, Parameter(help="Keep every k-th sample, for these k.")] = (
        "2,4,8,16,32,64"
    ),
    window: Annotated[
        int | None, Parameter(help="Cut into pieces of so many samples; variation is within them.")
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
    for d in loaded:
        check_dataset(d, strides=ks, window=window, detrend=detrend, tol=tol, seed=seed)
    if dry_run:
        print("\n".join(f"would measure {d.describe()}" for d in loaded), file=sys.stderr)
        return 0
    results = [
        dataset_continuity(d, strides=ks, window=window, detrend=detrend, tol=tol, seed=seed)
        for d in loaded
    ]
    curves: list[Result] = []
    for d in loaded:
        shared: Any = {"strides": ks, "detrend": detrend, "tol": tol, "seed": seed}
        if windows is not None:
            curves.append(window_profile(d, sizes, **shared))
        if doses:
            curves.append(dose_response(d, doses, window=window, retention=retention, **shared))
    emit([*results, *curves], as_json=json, output=output, title=f"Task continuity: {datasets}")
    return judge(results, limits)

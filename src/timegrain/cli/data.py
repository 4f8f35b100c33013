"""`timegrain data`: how continuous is a dataset in time?"""

import sys
from typing import Annotated, Literal

from cyclopts import Parameter

from timegrain.cli.flags import DryRun, FailUnder, Json, Names, OutputDirectory, Seed

_FIGURES = {"horizon": "samples", "horizon_time": "time", "continuity": "1 - D(2)"}


def data(
    datasets: Names,
    /,
    *,
    hz: Annotated[float | None, Parameter(help="Samples per second.")] = None,
    dt: Annotated[
        str | None, Parameter(help="Step with its unit: 2ms, 0.5s, 1h; without one, seconds.")
    ] = None,
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
    kind: Annotated[
        Literal["real", "tokens"] | None, Parameter(help="Integers are real unless you say tokens.")
    ] = None,
    layout: Annotated[
        str | None, Parameter(help="Axes of an array in a file: btc, bct, bt, tc, ct or t.")
    ] = None,
    key: Annotated[str | None, Parameter(help="Array of an npz file.")] = None,
    time: Annotated[
        str | None,
        Parameter(help="Column of a csv file that holds times; with --hz or --dt for their unit."),
    ] = None,
    delimiter: Annotated[
        str | None, Parameter(help="What stands between the cells of a csv file.")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
    output: OutputDirectory = None,
    dry_run: DryRun = False,
    fail_under: FailUnder = None,
) -> int:
    """Measure how continuous a dataset is: which samples could be left out and interpolated.

    Shipped sets go by name (timegrain ls), your own by path: .csv (a row is a time step, a column
    a channel), .npy, .npz, .ts. Comma lists are measured one after the other.
    """
    from timegrain.cli import options as words
    from timegrain.cli.emit import emit, judge, prints_on_stderr
    from timegrain.continuity import dataset_continuity
    from timegrain.core.output import check_writable
    from timegrain.data import load_dataset

    limits = words.thresholds(fail_under, _FIGURES)
    if output is not None:
        check_writable(output)
    ks = words.whole_numbers(strides, "--strides")
    rate = words.step(dt, hz)
    with prints_on_stderr():
        loaded = [
            load_dataset(
                name,
                key=key,
                time=time,
                layout=layout,
                delimiter=delimiter,
                kind=kind,
                dt=rate[0] if rate else None,
                unit=rate[1] if rate else None,
            )
            for name in words.names(datasets)
        ]
    if dry_run:
        print("\n".join(f"would measure {d.describe()}" for d in loaded), file=sys.stderr)
        return 0
    results = [
        dataset_continuity(d, strides=ks, window=window, detrend=detrend, tol=tol, seed=seed)
        for d in loaded
    ]
    emit(results, as_json=json, output=output, title=f"Task continuity: {datasets}")
    return judge(results, limits)

"""`timegrain localise`: which module of a sequence model loses continuity in time?"""

import sys
from typing import Annotated, Literal

from cyclopts import Parameter

from timegrain.cli.flags import DryRun, Json, ModelNames, OutputDirectory, Seed


def localise(
    models: ModelNames,
    /,
    *,
    amplitudes: Annotated[str, Parameter(help="Comma list of input amplitudes.")] = "1",
    dt: Annotated[float, Parameter(help="Step of the working grid (tau = 1).")] = 1.0,
    length: Annotated[int, Parameter(help="Samples on the working grid.")] = 64,
    levels: Annotated[int, Parameter(help="The step is halved so many times.")] = 6,
    refine: Annotated[
        Literal["exact", "interpolate"], Parameter(help="How the input gets its finer samples.")
    ] = "exact",
    protocol: Annotated[
        Literal["rescale", "native"], Parameter(help="Tell the model its step, or do not.")
    ] = "rescale",
    norm: Annotated[Literal["sup", "rms"], Parameter(help="Norm over time and channels.")] = "sup",
    scope: Annotated[
        Literal["layer", "network"], Parameter(help="The layer alone, or in its backbone.")
    ] = "layer",
    d_model: Annotated[int, Parameter(help="Channels of a layer built by name.")] = 64,
    d_input: Annotated[int | None, Parameter(help="Input channels of your own model.")] = None,
    options: Annotated[
        str | None, Parameter(help="Options of the layer, as name=value,name=value.")
    ] = None,
    seeds: Annotated[int, Parameter(help="Pairs of initialisation and signal.")] = 5,
    seed: Seed = 0,
    json: Json = False,
    output: OutputDirectory = None,
    dry_run: DryRun = False,
) -> int:
    """Name the first module in a model that loses continuity when the time grid is refined.

    A name measures the layer alone at seeded initialisations, in float64 and without its skip
    term; module:object measures your own nn.Module, or what a function without arguments returns.
    """
    from timegrain.cli import options as words
    from timegrain.cli.emit import emit, prints_on_stderr
    from timegrain.continuity import locate_model
    from timegrain.continuity.localisation.find import check_levels, find
    from timegrain.continuity.model.options import ModelOptions
    from timegrain.continuity.model.plan import plan
    from timegrain.core.output import check_writable

    if output is not None:
        check_writable(output)
    layer_options = words.assignments(options, "--options")
    heights = words.numbers(amplitudes, "--amplitudes")
    check_levels(levels)
    with prints_on_stderr():
        located = [locate_model(name, seed=seed) for name in words.names(models)]
        planned = [
            plan(
                found.model,
                ModelOptions(
                    named=isinstance(found.model, str),
                    dt=dt,
                    length=length,
                    levels=levels,
                    amplitudes=heights,
                    refine=refine,
                    protocol=protocol,
                    norm=norm,
                    scope=scope,
                    d_model=d_model,
                    d_input=d_input,
                    seeds=seeds,
                    seed=seed,
                    options=layer_options,
                ),
                name=found.word,
            )
            for found in located
        ]
        if dry_run:
            names = ", ".join(m.word for m in located)
            print(f"would follow the modules of {names}", file=sys.stderr)
            return 0
        results = [
            find(measurement).labelled(found.word, found.note)
            for found, measurement in zip(located, planned, strict=True)
        ]
    emit(results, as_json=json, output=output, title=f"Where continuity is lost: {models}")
    return 0

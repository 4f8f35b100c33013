"""`timegrain model`: is a sequence model continuous in time?"""

import sys
from typing import Annotated, Literal

from cyclopts import Parameter

from timegrain.cli.flags import (
    MODEL_FIGURES,
    DryRun,
    Json,
    ModelFailUnder,
    ModelNames,
    OutputDirectory,
    Seed,
)


def model(
    models: ModelNames,
    /,
    *,
    amplitudes: Annotated[str, Parameter(help="Comma list of input amplitudes.")] = "1",
    dt: Annotated[float, Parameter(help="Step of the working grid (tau = 1).")] = 1.0,
    length: Annotated[int, Parameter(help="Samples on the working grid.")] = 64,
    levels: Annotated[int, Parameter(help="The step is halved so many times.")] = 6,
    signal: Annotated[
        str | None,
        Parameter(
            help="The input: sines (the default), fourier, chebyshev, chirp, c0 to c4, steps, "
            "brownian; or with --refine resimulate a system: vdp, lorenz, ou, ..."
        ),
    ] = None,
    refine: Annotated[
        Literal["exact", "interpolate", "resimulate"],
        Parameter(help="How the input gets its finer samples."),
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
    discretization: Annotated[
        str | None,
        Parameter(help="One of those that the layer has; timegrain ls models lists them."),
    ] = None,
    options: Annotated[
        str | None,
        Parameter(
            help="Further options of the layer, with --scope network also of its network (mix, "
            "bidirectional, ...), as name=value,name=value."
        ),
    ] = None,
    seeds: Annotated[int, Parameter(help="Pairs of initialisation and signal.")] = 20,
    seed: Seed = 0,
    json: Json = False,
    output: OutputDirectory = None,
    dry_run: DryRun = False,
    fail_under: ModelFailUnder = None,
) -> int:
    """Measure whether a model's output converges when the time grid is refined.

    A name measures the layer alone at seeded initialisations, in float64 and without its skip
    term; module:object measures your own nn.Module, a function of arrays, or what a function
    without arguments returns; or a ModelAdapter of one, which says how it is told its step. A
    folder that transformers wrote (Mamba, GPT-2, Llama, ...) is given embeddings, in its
    inputs_embeds.
    """
    from timegrain.cli import options as words
    from timegrain.cli.emit import emit, judge, prints_on_stderr
    from timegrain.continuity import locate_model
    from timegrain.continuity.model.options import ModelOptions
    from timegrain.continuity.model.plan import plan
    from timegrain.continuity.model.room import peak_memory
    from timegrain.core.output import check_writable

    limits = words.thresholds(fail_under, MODEL_FIGURES)
    if output is not None:
        check_writable(output)
    layer_options = words.assignments(options, "--options")
    if discretization is not None:
        layer_options["discretization"] = discretization
    heights = words.numbers(amplitudes, "--amplitudes")
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
                signal=signal,
                name=found.word,
            )
            for found in located
        ]
        if dry_run:
            names = ", ".join(m.word for m in located)
            print(f"would measure {names} at amplitudes {amplitudes}", file=sys.stderr)
            return 0
        results = [
            found.label(measurement.run())
            for found, measurement in zip(located, planned, strict=True)
        ]
    peak = peak_memory()
    if peak is not None:
        print(f"peak memory of the process: {peak / 2**30:.2f} GiB", file=sys.stderr)
    emit(results, as_json=json, output=output, title=f"Model continuity: {models}")
    return judge(results, limits)

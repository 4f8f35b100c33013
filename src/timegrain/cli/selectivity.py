"""`timegrain selectivity`: what selective layers select, and where their errors come from."""

from typing import Annotated, Literal

from cyclopts import Parameter

from timegrain.cli.flags import Json, ModelNames, OutputDirectory, Seed


def selectivity(
    models: ModelNames,
    /,
    *,
    amplitudes: Annotated[str, Parameter(help="Comma list of input amplitudes.")] = "0.1,1,10",
    discretizations: Annotated[
        str, Parameter(help="Comma list of rules for B, side by side.")
    ] = "euler_b,zoh",
    dt: Annotated[float, Parameter(help="Step of the working grid (tau = 1).")] = 1.0,
    length: Annotated[int, Parameter(help="Samples on the working grid.")] = 64,
    levels: Annotated[int, Parameter(help="The step is halved so many times.")] = 6,
    norm: Annotated[Literal["sup", "rms"], Parameter(help="Norm over time and channels.")] = "sup",
    scope: Annotated[
        Literal["layer", "network"], Parameter(help="The layer alone, or in its backbone.")
    ] = "layer",
    d_model: Annotated[int, Parameter(help="Channels of a layer built by name.")] = 64,
    d_input: Annotated[int | None, Parameter(help="Input channels of your own model.")] = None,
    options: Annotated[
        str | None, Parameter(help="Options of a layer by name, as name=value,name=value.")
    ] = None,
    seeds: Annotated[int, Parameter(help="Pairs of initialisation and signal.")] = 20,
    seed: Seed = 0,
    json: Json = False,
    output: OutputDirectory = None,
) -> int:
    """Show what S6 and Mamba layers select, and hold Delta, B and C in turn.

    Distributions of the step Delta, the stiffness and the memory at each amplitude; then each part
    of the selection is held at its mean, to see which one carries the errors.
    """
    import dataclasses

    from timegrain.cli import options as words
    from timegrain.cli.compiling import tell, tells_of_compiling
    from timegrain.cli.emit import emit, prints_on_stderr
    from timegrain.continuity import locate_model
    from timegrain.continuity import selectivity as look
    from timegrain.core.output import check_writable

    if output is not None:
        check_writable(output)
    results = []
    with prints_on_stderr(), tells_of_compiling():
        for found in [locate_model(name, seed=seed) for name in words.names(models)]:
            result = look(
                found.model,
                amplitudes=words.numbers(amplitudes, "--amplitudes"),
                discretizations=words.names(discretizations),
                dt=dt,
                length=length,
                levels=levels,
                norm=norm,
                scope=scope,
                d_model=d_model,
                d_input=d_input,
                options=words.assignments(options, "--options"),
                seeds=seeds,
                seed=seed,
                name=found.word,
                progress=tell,
            )
            notes = (found.note, *result.notes) if found.note else result.notes
            results.append(dataclasses.replace(result, notes=notes))
    emit(results, as_json=json, output=output, title=f"Selectivity: {models}")
    return 0

"""`timegrain certify`: a proved bound of what sampling costs a layer."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from timegrain.cli.flags import DryRun, Json, ModelNames, OutputDirectory, Seed

if TYPE_CHECKING:
    from timegrain.continuity.locate import LocatedModel


def certify(
    models: ModelNames,
    /,
    *,
    module: Annotated[
        str | None,
        Parameter(help="The layer in a model, as named_modules() calls it: ssm in a mamba."),
    ] = None,
    signal: Annotated[
        str, Parameter(help="A family of functions: sines, fourier, chebyshev, chirp, c0 to c4.")
    ] = "sines",
    slope: Annotated[
        float | None, Parameter(help="A bound of |u'| that you can prove; else it is estimated.")
    ] = None,
    curvature: Annotated[float | None, Parameter(help="A bound of |u''|, for order 2.")] = None,
    taus: Annotated[str, Parameter(help="Comma list of steps, dt / dt_trained.")] = "1,0.5,0.25",
    dt: Annotated[float, Parameter(help="Step of the working grid (tau = 1).")] = 1.0,
    length: Annotated[int, Parameter(help="Samples on the working grid.")] = 64,
    d_model: Annotated[int, Parameter(help="Channels of a layer built by name.")] = 64,
    options: Annotated[
        str | None, Parameter(help="Options of a layer built by name, as name=value,name=value.")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
    output: OutputDirectory = None,
    dry_run: DryRun = False,
) -> int:
    """Bound the error that S4D, S5 and S6 layers make because they see samples of a signal.

    A name is a layer at its seeded initialisation; module:object your own layer; with --module it
    is the one in either. Without --slope the bound holds if the estimates of the signal do.
    """
    import dataclasses

    from timegrain.cli import options as words
    from timegrain.cli.emit import emit, prints_on_stderr
    from timegrain.continuity import certify as prove
    from timegrain.continuity import locate_model
    from timegrain.continuity.certificate.named import drawn_signal
    from timegrain.core.output import check_writable

    if output is not None:
        check_writable(output)
    given = words.assignments(options, "--options")
    results = []
    with prints_on_stderr():
        located = [locate_model(name, seed=seed) for name in words.names(models)]
        layers = [
            _layer(found, module, d_model=d_model, seed=seed, options=given) for found in located
        ]
        if dry_run:
            names = ", ".join(m.word for m in located)
            print(f"would certify {names} on {signal}", file=sys.stderr)
            return 0
        for found, layer in zip(located, layers, strict=True):
            width = getattr(layer, "d_model", 1)
            drawn = drawn_signal(signal, dt=dt, length=length, n_channels=width, seed=seed)
            result = prove(
                layer,
                drawn,
                dt=dt,
                length=length,
                taus=words.numbers(taus, "--taus"),
                slope=slope,
                curvature=curvature,
            )
            name = f"{found.word}{'.' + module if module else ''}"
            said = f"The signal: {drawn.__name__}, one draw at seed {seed}."
            notes = tuple(filter(None, (found.note, said, *result.notes)))
            results.append(dataclasses.replace(result, name=name, notes=notes))
    emit(results, as_json=json, output=output, title=f"Certificates: {models}")
    return 0


def _layer(
    found: "LocatedModel", module: str | None, *, d_model: int, seed: int, options: dict[str, Any]
) -> Any:
    from timegrain.continuity.certificate.named import layer_within, named_layer

    if isinstance(found.model, str):
        return named_layer(found.model, module, d_model=d_model, seed=seed, options=options)
    return layer_within(found.model, module, options=options)

"""`timegrain check NAME`: does a model keep the contract of a layer in time?"""

from typing import Annotated

from cyclopts import Parameter

from timegrain.cli.flags import Json, ModelNames, OutputDirectory, Seed


def check(
    models: ModelNames,
    /,
    *,
    quick: Annotated[
        bool, Parameter(negative="", help="Shorten the longest sequences; the result says so.")
    ] = False,
    only: Annotated[str | None, Parameter(help="Comma list of checks to run.")] = None,
    skip: Annotated[str | None, Parameter(help="Comma list of checks to leave out.")] = None,
    d_input: Annotated[int | None, Parameter(help="Input channels of your own model.")] = None,
    vocab: Annotated[int | None, Parameter(help="Number of tokens, if it takes tokens.")] = None,
    d_model: Annotated[int, Parameter(help="Channels of a layer built by name.")] = 8,
    options: Annotated[
        str | None, Parameter(help="Options of a layer by name, as name=value,name=value.")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
    output: OutputDirectory = None,
) -> int:
    """Check that a layer, or your own model, keeps its promises; exit with 1 if it does not.

    A name builds the layer; module:object is your own nn.Module, a function, a ModelAdapter of one,
    or what a function without arguments returns; a folder is of transformers. Batches, padding, the
    step it is told, carried state, single steps, long and loud inputs, gradients, files and orders,
    each where the model has something of it.
    """
    import dataclasses

    from timegrain.cli import options as words
    from timegrain.cli.compiling import tell, tells_of_compiling
    from timegrain.cli.emit import emit, prints_on_stderr
    from timegrain.continuity import locate_model
    from timegrain.core.output import check_writable

    if output is not None:
        check_writable(output)
    results = []
    with prints_on_stderr():
        located = [locate_model(name, seed=seed) for name in words.names(models)]
    with prints_on_stderr(), tells_of_compiling():
        from timegrain.checks import check_model  # after what can be said without it

        for found in located:
            result = check_model(
                found.model,
                d_input=d_input,
                vocab=vocab,
                d_model=d_model,
                options=words.assignments(options, "--options"),
                only=words.names(only) if only else (),
                skip=words.names(skip) if skip else (),
                quick=quick,
                seed=seed,
                name=found.word,
                progress=tell,
            )
            notes = (found.note, *result.notes) if found.note else result.notes
            results.append(dataclasses.replace(result, notes=notes))
    emit(results, as_json=json, output=output, title=f"Model check: {models}")
    return 0 if all(result.passed for result in results) else 1

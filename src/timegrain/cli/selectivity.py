"""`timegrain selectivity`: what selective layers select, and where their errors come from."""

import sys
from typing import Annotated

from cyclopts import Parameter

from timegrain.cli.flags import DryRun, Json, ModelNames, OutputDirectory, Seed
from timegrain.cli.ladder_flags import LADDER, LadderFlags


def selectivity(
    models: ModelNames,
    /,
    *,
    amplitudes: Annotated[str, Parameter(help="Comma list of input amplitudes.")] = "0.1,1,10",
    discretizations: Annotated[
        str, Parameter(help="Comma list of rules for B, side by side.")
    ] = "euler_b,zoh",
    ladder: LadderFlags = LADDER,
    seeds: Annotated[int, Parameter(help="Pairs of initialisation and signal.")] = 20,
    seed: Seed = 0,
    json: Json = False,
    output: OutputDirectory = None,
    dry_run: DryRun = False,
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
    from timegrain.continuity.model.options import ModelOptions
    from timegrain.continuity.selective.measure import population_of
    from timegrain.core.output import check_writable

    if output is not None:
        check_writable(output)
    results = []
    heights, rules = words.numbers(amplitudes, "--amplitudes"), words.names(discretizations)
    with prints_on_stderr(), tells_of_compiling():
        located = [locate_model(name, seed=seed) for name in words.names(models)]
        if dry_run:
            for found in located:
                opts = ModelOptions(
                    named=isinstance(found.model, str),
                    **ladder.arguments(),
                    amplitudes=heights,
                    refine="exact",
                    protocol="rescale",
                    seeds=seeds,
                    seed=seed,
                )
                population_of(found.model, opts, discretizations=rules, name=found.word)
            print(f"would look into {', '.join(m.word for m in located)}", file=sys.stderr)
            return 0
        for found in located:
            result = look(
                found.model,
                amplitudes=heights,
                discretizations=rules,
                **ladder.arguments(),
                seeds=seeds,
                seed=seed,
                name=found.word,
                progress=tell,
            )
            notes = (found.note, *result.notes) if found.note else result.notes
            results.append(dataclasses.replace(result, notes=notes))
    emit(results, as_json=json, output=output, title=f"Selectivity: {models}")
    return 0

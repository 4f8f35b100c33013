"""`timegrain localise`: which module of a sequence model loses continuity in time?"""

import sys
from typing import Annotated

from cyclopts import Parameter

from timegrain.cli.flags import DryRun, Json, ModelNames, OutputDirectory, Seed
from timegrain.cli.ladder_flags import INPUT, LADDER, InputFlags, LadderFlags


def localise(
    models: ModelNames,
    /,
    *,
    amplitudes: Annotated[str, Parameter(help="Comma list of input amplitudes.")] = "1",
    inputs: InputFlags = INPUT,
    ladder: LadderFlags = LADDER,
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
    from timegrain.core.output import check_writable

    if output is not None:
        check_writable(output)
    check_levels(ladder.levels)
    with prints_on_stderr():
        located = [locate_model(name, seed=seed) for name in words.names(models)]
        planned = inputs.planned(located, ladder, amplitudes=amplitudes, seeds=seeds, seed=seed)
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

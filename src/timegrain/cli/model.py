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
from timegrain.cli.ladder_flags import INPUT, LADDER, InputFlags, LadderFlags


def model(
    models: ModelNames,
    /,
    *,
    amplitudes: Annotated[str, Parameter(help="Comma list of input amplitudes.")] = "1",
    inputs: InputFlags = INPUT,
    reference: Annotated[
        Literal["ladder", "ode"],
        Parameter(
            help="What errors are against: the limit of the outputs, or the differential equation "
            "of an S4, S4D, S5 or S6 layer, integrated to 1e-10."
        ),
    ] = "ladder",
    ladder: LadderFlags = LADDER,
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
    from timegrain.continuity.model.room import peak_memory
    from timegrain.core.output import check_writable

    limits = words.thresholds(fail_under, MODEL_FIGURES)
    if output is not None:
        check_writable(output)
    with prints_on_stderr():
        located = [locate_model(name, seed=seed) for name in words.names(models)]
        planned = inputs.planned(
            located, ladder, amplitudes=amplitudes, seeds=seeds, seed=seed, reference=reference
        )
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
        print(f"peak memory of the process: {peak / 1e6:,.0f} MB", file=sys.stderr)
    emit(results, as_json=json, output=output, title=f"Model continuity: {models}")
    return judge(results, limits)

"""`timegrain study`: a study with a name, run anew."""

import sys
from typing import Annotated

from cyclopts import Parameter

from timegrain.cli.flags import DryRun, Json, OutputDirectory, Seed


def study(
    *,
    preset: Annotated[str, Parameter(help="Name of the study, such as paper-continuity.")],
    systems: Annotated[
        int | None, Parameter(help="Random systems of each family (paper-continuity: 20).")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
    output: OutputDirectory = None,
    dry_run: DryRun = False,
) -> int:
    """Run a published study anew and say what its numbers say.

    paper-continuity: random linear (S4) and selective (S6) systems at amplitudes 1 to 32 on grids
    of step 2^-2 to 2^-10, by two discretisations and in two norms.
    """
    from timegrain.cli.emit import emit
    from timegrain.cli.progress import Progress
    from timegrain.core.output import check_writable
    from timegrain.study.presets.conduct import find_preset

    chosen = find_preset(preset)
    given: dict[str, object] = {"seed": seed}
    if systems is not None:
        given["systems"] = systems
    settings = chosen.configure(given)
    if output is not None:
        check_writable(output)
    if dry_run:
        print(f"would run {chosen.name}: {chosen.description}", file=sys.stderr)
        return 0
    with Progress() as progress:
        result = chosen.run(settings, progress)
    emit([result], as_json=json, output=output, title=f"Study: {chosen.name}")
    return 0

"""`timegrain study`: a study with a name, run anew."""

import sys
from typing import Annotated

from cyclopts import Parameter

from timegrain.cli.flags import DryRun, Json, OutputDirectory, Seed


def study(
    *,
    preset: Annotated[str, Parameter(help="Name of the study; timegrain ls presets.")],
    systems: Annotated[
        int | None, Parameter(help="Random systems of each family (paper-continuity: 20).")
    ] = None,
    seeds: Annotated[
        int | None, Parameter(help="Networks of each kind (paper-refinement: 3).")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
    output: OutputDirectory = None,
    dry_run: DryRun = False,
) -> int:
    """Run a published study anew and say what its numbers say.

    paper-continuity: random linear (S4) and selective (S6) systems at amplitudes 1 to 32 on grids
    of step 2^-2 to 2^-10, by two discretisations and in two norms.

    paper-refinement: S4D and S6 trained at one rate to tell the parameters of oscillators and of a
    random process, given the same trajectories at other rates. Trainings that are done stay in
    --output: the same command goes on where it was stopped.
    """
    from timegrain.cli.emit import emit
    from timegrain.cli.progress import Progress
    from timegrain.core.output import check_writable
    from timegrain.study.presets.conduct import find_preset

    chosen = find_preset(preset)
    given: dict[str, object] = {"seed": seed}
    given |= {k: v for k, v in {"systems": systems, "seeds": seeds}.items() if v is not None}
    if output is not None and chosen.resumes:
        given["folder"] = output / "parts" / "units"
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

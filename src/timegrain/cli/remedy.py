"""`timegrain remedy`: what cures do to a model's continuity, and what they do not."""

import sys
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from timegrain.cli.flags import DryRun, Json, ModelNames, OutputDirectory, Seed
from timegrain.cli.ladder_flags import INPUT, LADDER, InputFlags, LadderFlags

if TYPE_CHECKING:
    from timegrain.continuity.remedies.patient import Patient
    from timegrain.continuity.remedies.result import Remedy


def remedy(
    models: ModelNames,
    /,
    *,
    cures: Annotated[
        str | None,
        Parameter(
            help="Comma list of dilate, interpolate, trapezoidal, foh, clamp, normalise; several "
            "at once as dilate+clamp. Without it, each that applies but interpolate, which halved "
            "steps cannot tell from dilate."
        ),
    ] = None,
    delta_max: Annotated[
        float, Parameter(help="Largest Delta that clamp leaves, in steps of the training grid.")
    ] = 0.1,
    amplitudes: Annotated[str, Parameter(help="Comma list of input amplitudes.")] = "0.1,1,10",
    inputs: InputFlags = INPUT,
    ladder: LadderFlags = LADDER,
    seeds: Annotated[int, Parameter(help="Pairs of initialisation and signal.")] = 5,
    seed: Seed = 0,
    json: Json = False,
    output: OutputDirectory = None,
    dry_run: DryRun = False,
) -> int:
    """Show a model's order, memory and errors before and after each cure.

    A copy of the model is changed, never the model. In Python, timegrain.remedy returns the copy.
    """
    import dataclasses

    from timegrain.cli import options as words
    from timegrain.cli.emit import emit, prints_on_stderr
    from timegrain.continuity import locate_model
    from timegrain.continuity.remedies.cures import check_cures
    from timegrain.continuity.remedies.measure import check_delta
    from timegrain.continuity.remedies.patient import Patient
    from timegrain.core.output import check_writable

    if output is not None:
        check_writable(output)
    check_delta(delta_max)
    asked = words.names(cures) if cures is not None else []
    for cure in asked:
        check_cures(cure.split("+"))
    with prints_on_stderr():
        located = [locate_model(name, seed=seed) for name in words.names(models)]
        planned = inputs.planned(located, ladder, amplitudes=amplitudes, seeds=seeds, seed=seed)
        patients = [
            Patient(found.model, measurement, signal=measurement.given)
            for found, measurement in zip(located, planned, strict=True)
        ]
        if dry_run:
            names = ", ".join(m.word for m in located)
            print(f"would cure {names} with {cures or 'whatever applies'}", file=sys.stderr)
            return 0
        results = [
            dataclasses.replace(effect, notes=tuple(filter(None, (found.note, *effect.notes))))
            for found, patient in zip(located, patients, strict=True)
            for effect in _effects(patient, asked, delta_max)
        ]
    emit(results, as_json=json, output=output, title=f"Cures: {models}")
    return 0


def _effects(patient: "Patient", asked: list[str], delta_max: float) -> list["Remedy"]:
    """Return what each cure does; without any asked for, say which ones do not apply."""
    from timegrain.continuity.remedies.cures import CURES
    from timegrain.core.errors import ModelError

    if asked:
        return [patient.treated(cure, delta_max=delta_max).effect for cure in asked]
    effects, refused = [], []
    for cure in CURES:
        if cure == "interpolate":
            continue
        try:
            patient.check(cure, delta_max=delta_max)
        except ModelError as error:
            refused.append(error)
            continue
        effects.append(patient.treated(cure, delta_max=delta_max).effect)
    if not effects:
        raise refused[0]
    for why in refused:
        print(f"left out: {why.what}", file=sys.stderr)
    return effects

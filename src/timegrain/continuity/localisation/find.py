"""From a measurement that is planned to a `Localisation`."""

from collections.abc import Iterator

from timegrain.continuity.localisation.advice import advice
from timegrain.continuity.localisation.ascent import ascend
from timegrain.continuity.localisation.modules import modules_of
from timegrain.continuity.localisation.result import Localisation, ModuleRow, SkippedModule
from timegrain.continuity.localisation.rows import Judge, because, first_loss
from timegrain.continuity.localisation.sites import find_sites
from timegrain.continuity.model.how_refined import how_refined
from timegrain.continuity.model.medians import few_pairs
from timegrain.continuity.model.options import ModelOptions
from timegrain.continuity.model.plan import Measurement
from timegrain.continuity.model.readout import spacing
from timegrain.continuity.model.roughness import (
    is_rough,
    median_order,
    roughness_cure,
    roughness_words,
)
from timegrain.continuity.model.scripted import WITHIN, class_name
from timegrain.continuity.model.subject import Subject
from timegrain.core.errors import ConfigError, ModelError
from timegrain.core.outcome import Outcome

MIN_LEVELS = 3
WHOLE = "(model)"
_CHANGES = "it returns another shape, NaN or infinity on some grid"


def find(measurement: Measurement) -> Localisation:
    """Return where continuity is lost.

    Args:
        measurement: As `plan` returns it.

    Raises:
        ConfigError: If there are fewer than three levels.
        ModelError: If the model has no modules, fails, or none of them can be followed.
    """
    first, inputs, opts = measurement.first, measurement.inputs, measurement.options
    check_levels(opts.levels)
    samples = inputs.values(0, 0)[None].copy(), inputs.values(0, 1)[None].copy()
    named = modules_of(first, samples[0])
    sites = find_sites(lambda x: first.call(x, 1.0), samples, named)
    rescale = opts.protocol == "rescale" and first.told
    eps = max(first.eps, spacing("float32"))
    pairs, orders = [], []
    for pair in range(opts.seeds if measurement.redrawn else inputs.n_signals or 1):
        subject = first if pair == 0 else measurement.subject_of(pair)
        heard = named if pair == 0 else modules_of(subject, samples[0])
        ascents = ascend(
            subject, sites, heard, inputs, pair=pair, opts=opts, rescale=rescale, eps=eps
        )
        pairs.append(ascents)
        orders.append(inputs.own_order(pair))  # while its samples are at hand
    judge = Judge(sites=sites, named=named, pairs=pairs, opts=opts, window=inputs.window, eps=eps)
    return _result(measurement, judge, rescale=rescale, signal_order=median_order(orders))


def check_levels(levels: int) -> None:
    """Check that there are grids enough.

    Raises:
        ConfigError: If there are fewer than three differences between them.
    """
    if levels < MIN_LEVELS:
        raise ConfigError(
            "continuity is told from three differences between grids on",
            got=f"levels={levels}",
            expected=f"levels >= {MIN_LEVELS}",
        )


def _result(
    measurement: Measurement, judge: Judge, *, rescale: bool, signal_order: float | None
) -> Localisation:
    first, inputs, opts = measurement.first, measurement.inputs, measurement.options
    rows = judge.rows()
    if not rows:
        whole = judge.sites.skipped.get("", _CHANGES)
        raise ModelError(
            f"no module of {first.name} can be followed", got=f"for the model itself: {whole}"
        )
    lost = first_loss(rows)
    how = how_refined(
        first, inputs, opts, rescale=rescale, n_pairs=len(judge.pairs), signal_order=signal_order
    )
    ending = lost or rows[-1]
    rough = is_rough(signal_order, _ending(ending), ending.order)
    tau = inputs.grid.dt / (first.trained_dt or inputs.grid.dt)
    return Localisation(
        **how,
        reasons=few_pairs(len(judge.pairs), redrawn=measurement.redrawn),
        outcome=_ending(ending),
        notes=tuple(
            _notes(first, judge, signal_order if rough else None, opts, refine=inputs.refine)
        ),
        first=None if lost is None else lost.module or WHOLE,
        because=because(lost, rows, tau=tau, levels=opts.levels, unit=inputs.grid.unit),
        modules=rows,
        skipped=tuple(_skipped(judge, {row.module for row in rows})),
        advice=roughness_cure(inputs.refine) if rough else _advice(measurement, judge, lost),
    )


def _advice(measurement: Measurement, judge: Judge, lost: ModuleRow | None) -> str:
    if lost is None:
        return ""
    model = judge.named[""] if isinstance(measurement.model, str) else measurement.model
    module, dt = judge.named[lost.module], measurement.inputs.grid.dt
    return advice(lost, module, model, dt=dt, protocol=measurement.options.protocol)


def _ending(row: ModuleRow) -> Outcome:
    return row.convergence if row.loses == "convergence" else row.outcome


def _skipped(judge: Judge, measured: set[str]) -> Iterator[SkippedModule]:
    for name, module in judge.named.items():
        if name not in measured:
            reason = judge.sites.skipped.get(name, _CHANGES)
            yield SkippedModule(module=name, type=class_name(module), reason=reason)


def _notes(
    first: Subject, judge: Judge, rough: float | None, opts: ModelOptions, *, refine: str
) -> Iterator[str]:
    if (unheard := list(judge.sites.skipped.values()).count(WITHIN)) > 0:
        yield (
            f"{unheard} module{'s run' if unheard > 1 else ' runs'} within TorchScript, where no "
            "hook fires: what is lost there shows in the module that Python calls. To look inside, "
            "call its parts from Python, or pass the module that the script was made of."
        )
    if rough is not None:
        yield roughness_words(rough, refine=refine)
    # the first note of a model that pools says where its memory was measured, which is not here
    yield from first.notes[1:] if first.memory_layer == "pooled" else first.notes
    if not first.told:
        yield f"Measured natively: {first.reasons['protocol']}."
    elif opts.protocol == "native":
        yield "Measured natively, as asked: the model is called with tau = 1 on every grid."

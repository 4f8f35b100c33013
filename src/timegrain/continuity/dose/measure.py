"""Turn dials on a dataset and measure D, and what the label keeps, at every dose."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from timegrain.continuity.dataset import dataset_continuity
from timegrain.continuity.dose.labels import LabelAt, label_at
from timegrain.continuity.dose.result import DoseResponse, DoseRow
from timegrain.continuity.task.cut import MIN_SAMPLES, check_window
from timegrain.continuity.task.result import TaskContinuity
from timegrain.core.outcome import Outcome
from timegrain.core.provenance import Provenance
from timegrain.data.dataset import Dataset
from timegrain.data.dials.kinds import Dial, load_dial
from timegrain.data.dials.words import check_dials


def dose_response(
    data: Dataset,
    dials: Mapping[str, Sequence[float]],
    *,
    strides: Sequence[int] = (2, 4, 8, 16, 32, 64),
    window: int | None = None,
    detrend: Literal["linear"] | None = None,
    tol: float = 0.05,
    retention: int | None = None,
    seed: int = 0,
    replicates: int = 999,
) -> DoseResponse:
    """Measure D at every dose of every dial, each turned alone on the untouched data.

    A window shuffle keeps what the samples say of a label and takes their continuity; noise takes
    both; thinning takes samples. How retention answers to each is a causal test, on your own data,
    of what continuity is worth.

    Args:
        data: From `load_dataset`.
        dials: Doses by the name of their dial: `{"window_shuffle": (1, 2, 4), "noise": (20, 10)}`.
        strides: Of the horizon.
        window: Samples a piece of the untouched data. Thinned data are cut into pieces of the same
            stretch of time.
        detrend: As `dataset_continuity`.
        tol: As `dataset_continuity`.
        retention: Also measure which share of the label's skill every so many-th sample keeps.
        seed: Of the dials, the intervals and the probe.
        replicates: Of the bootstrap.

    Raises:
        ConfigError: If an option is outside its domain.
        DataError: If a dose leaves nothing to measure, or retention is asked for without labels.
        UnknownNameError: If there is no such dial.

    Example:
        >>> from timegrain.data import load_dataset
        >>> found = dose_response(load_dataset("GunPoint"), {"window_shuffle": (1, 4)})
        >>> [row.discontinuity < 0.01 for row in found.doses]
        [True, False]
    """
    doses = check_dials(dials)
    window = None if window is None else check_window(window)
    parameters: dict[str, object] = {
        "strides": list(strides),
        "window": window,
        "detrend": detrend,
        "tol": tol,
        "seed": seed,
        "replicates": replicates,
        **data.versioned,
    }
    rows, labels, known = [], [], {}
    for name, values in doses.items():
        dial = load_dial(name)
        for dose in values:
            key = None if dose == dial.untouched else (name, dose)
            if key not in known:
                turned = dial.turn(data, dose, seed=seed)
                size = _same_stretch(window, data, turned)
                measured = dataset_continuity(
                    turned,
                    strides=strides,
                    window=size,
                    detrend=detrend,
                    tol=tol,
                    seed=seed,
                    replicates=replicates,
                )
                kept = None
                if retention is not None:
                    kept = label_at(turned, retention, window=size, seed=seed)
                known[key] = measured, kept
            measured, kept = known[key]
            rows.append(_row(dial, dose, measured, kept))
            labels.append(kept)
    first = next((k for k in labels if k is not None), None)
    parameters |= {"dials": {k: list(map(str, v)) for k, v in doses.items()}}
    return DoseResponse(
        name=data.name,
        outcome=Outcome.MEASURED,
        provenance=Provenance.collect(seed=seed, parameters=parameters | {"retention": retention}),
        reasons={} if first else dict.fromkeys(_OF_LABELS, "retention was not asked for"),
        notes=(*data.notes, *_notes(doses, window)),
        dt=data.dt,
        unit=data.unit,
        window=window,
        stride=retention,
        metric=first.metric if first else None,
        trivial_score=first.trivial_score if first else None,
        doses=tuple(rows),
    )


_OF_LABELS = ("stride", "metric", "trivial_score")


def _same_stretch(window: int | None, data: Dataset, turned: Dataset) -> int | None:
    """Pieces of the same stretch of time, in samples of the turned data."""
    if window is None or turned.dt == data.dt:
        return window
    return max(round(window * data.dt / turned.dt), MIN_SAMPLES)


def _row(dial: Dial, dose: float, measured: TaskContinuity, kept: LabelAt | None) -> DoseRow:
    d = next((p for p in measured.profile if p.channel is None and p.stride == 2), None)
    row = DoseRow(
        dial=dial.name,
        dose=None if math.isinf(dose) else dose,
        unit=dial.unit,
        untouched=dose == dial.untouched,
        discontinuity=d.discontinuity if d else None,
        low=d.low if d else None,
        high=d.high if d else None,
        horizon=measured.horizon,
        horizon_open=measured.horizon_open,
    )
    if kept is None:
        return row
    return replace(
        row,
        score=kept.score,
        retention=kept.retention,
        retention_low=kept.low,
        retention_high=kept.high,
        reason=kept.reason,
    )


def _notes(doses: Mapping[str, Sequence[float]], window: int | None) -> list[str]:
    notes = [f"{name}: {load_dial(name).meaning}" for name in doses]
    if "decimate" in doses and window is not None:
        notes.append("thinned data are cut into pieces of the same stretch of time")
    return notes

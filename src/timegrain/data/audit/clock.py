"""Whether all recordings share one uniform grid, so that their times can be left out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from timegrain.data.audit.recording import Audited
from timegrain.data.audit.result import TimestampAudit
from timegrain.data.audit.steps import SMALL

DIFFERENT = 0.05
KEPT = "times are kept, and every step has its own weight"
BRIDGED = "short gaps bridged"
_RATES = "recordings differ in their step"


@dataclass(frozen=True, kw_only=True, eq=False)
class CommonClock:
    """The time of a dataset.

    Args:
        dt: Step, in the unit of the audits; the median step where times are kept.
        times: Instants of every stretch from its first one, or None on a uniform grid.
        audits: With what became of the times.
        notes: What a reader must know.
    """

    dt: float
    times: tuple[np.ndarray, ...] | None
    audits: tuple[TimestampAudit, ...]
    notes: tuple[str, ...] = ()


def common_clock(recordings: Sequence[Audited]) -> CommonClock:
    """Return one uniform grid if every recording is on it to .001 of a step, else all times.

    Args:
        recordings: All of a dataset, in one unit.
    """
    medians = np.array([r.steps.median for r in recordings])
    alike = medians.max() - medians.min() <= SMALL * medians.min()
    uniform = all(r.steps.regular and r.steps.jitter < SMALL for r in recordings)
    differ = medians.max() > (1 + DIFFERENT) * medians.min()
    notes = (_rates(medians, recordings[0].audit.unit),) if differ else ()
    audits = tuple(_with_action(r, uniform=uniform and bool(alike)) for r in recordings)
    if uniform and alike:
        weights = [sum(len(s) - 1 for s in r.stretches) for r in recordings]
        mean = float(np.average([r.steps.mean for r in recordings], weights=weights))
        return CommonClock(dt=float(f"{mean:.12g}"), times=None, audits=audits)
    times = tuple(s.times - s.times[0] for r in recordings for s in r.stretches)
    return CommonClock(dt=float(np.median(medians)), times=times, audits=audits, notes=notes)


def is_about_rates(note: str) -> bool:
    """Whether a note says that recordings differ in their step."""
    return note.startswith(_RATES)


def _rates(medians: np.ndarray, unit: str) -> str:
    low, high = medians.min(), medians.max()
    return f"{_RATES}, {low:.6g} to {high:.6g} {unit}: a stride is not the same time in all of them"


def _with_action(recording: Audited, *, uniform: bool) -> TimestampAudit:
    audit = recording.audit
    if not uniform:
        done = KEPT
    elif audit.jitter > 1e-6:
        done = f"times differ from a uniform grid by {audit.jitter:.1g} of a step: left out for it"
    else:
        return audit
    return replace(audit, actions=(*audit.actions, done))

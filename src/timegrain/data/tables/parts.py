"""What a table holds, before it is a dataset."""

from dataclasses import dataclass

import numpy as np

from timegrain.data.audit.clock import CommonClock


@dataclass(frozen=True, kw_only=True, eq=False)
class Parts:
    """Fields of a dataset as a table fills them.

    Args:
        sequences: `(time, channel)` each.
        ids: Recording of each sequence, or empty.
        groups: Group of each sequence, or None.
        starts: First sample of each within its recording; None for whole recordings.
        labels: One a sequence, or None.
        targets: One a sample, or None.
        class_names: Of labels or targets.
        clock: From the audit; None without times.
        unit: Of the clock.
        words: Roles of the columns; empty where nothing was said about them.
        notes: What a reader must know.
    """

    sequences: tuple[np.ndarray, ...]
    ids: tuple[str, ...] = ()
    groups: np.ndarray | None = None
    starts: np.ndarray | None = None
    labels: np.ndarray | None = None
    targets: tuple[np.ndarray, ...] | None = None
    class_names: tuple[str, ...] = ()
    clock: CommonClock | None = None
    unit: str = "sample"
    words: str = ""
    notes: tuple[str, ...] = ()

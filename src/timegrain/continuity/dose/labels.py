"""What a label keeps at one stride, as a dose response needs it."""

from dataclasses import dataclass

from timegrain.continuity.retention.measure import label_retention
from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset


@dataclass(frozen=True, kw_only=True)
class LabelAt:
    """The probe's score, and the share of its skill that is left at a stride.

    Args:
        metric: Of the score.
        trivial_score: Of the majority class or the mean.
        score: At stride 1.
        retention: None where it cannot be told.
        low: Lower end of its 95 % interval.
        high: Upper end.
        reason: Why it cannot be told; empty where it can.
    """

    metric: str
    trivial_score: float
    score: float | None
    retention: float | None
    low: float | None
    high: float | None
    reason: str


def label_at(data: Dataset, stride: int, *, window: int | None, seed: int) -> LabelAt:
    """Return what the label keeps when every `stride`-th sample is given.

    Args:
        data: With labels or targets.
        stride: Whole number >= 2.
        window: Samples a case, where labels are one a sample; else cases are whole sequences.
        seed: Of the probe.

    Raises:
        DataError: If there is no label.
    """
    if data.labels is None and data.targets is None:
        raise DataError(
            f"{data.name!r} has no label whose retention could be measured",
            hint="leaving retention out, or target= with a column",
        )
    found = label_retention(
        data, strides=(stride,), window=window if data.labels is None else None, seed=seed
    )
    row = found.at(stride)
    kept = row.retention if row else None
    why = (row.reason if row else "") or found.outcome.message
    return LabelAt(
        metric=found.metric,
        trivial_score=found.trivial_score,
        score=found.score,
        retention=kept,
        low=row.retention_low if row else None,
        high=row.retention_high if row else None,
        reason=why if kept is None else "",
    )

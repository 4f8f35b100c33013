"""`task_continuity` of a loaded dataset, with its step, names and kind passed on."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from timegrain.continuity.task.cut import check_long_enough
from timegrain.continuity.task.layout import other_layout
from timegrain.continuity.task.measure import TaskContinuity, task_continuity
from timegrain.continuity.task.options import TaskOptions
from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset


def dataset_continuity(
    dataset: Dataset,
    *,
    strides: Sequence[int] = (2, 4, 8, 16, 32, 64),
    window: int | None = None,
    detrend: Literal["linear"] | None = None,
    tol: float = 0.05,
    seed: int = 0,
    replicates: int = 999,
    hop: int | None = None,
) -> TaskContinuity:
    """Return the task continuity of all sequences of a dataset, in the dataset's own time unit.

    The dataset's notes stand before those of the measurement. For arrays there is
    `task_continuity`, which takes the same options.

    Args:
        dataset: From `load_dataset`.
        strides: Whole numbers >= 2.
        window: Samples a piece, or None for whole sequences.
        detrend: `"linear"` removes each piece's straight line first.
        tol: How far D may be above the noise share within the horizon; shuffled data have D = 1.
        seed: Seed of the intervals' bootstrap.
        replicates: Of the bootstrap.
        hop: Samples from one piece to the next; None for no overlap.

    Raises:
        DataError: If `dataset` is none, or no sequence is long enough.

    Example:
        >>> from timegrain.data import load_dataset
        >>> dataset_continuity(load_dataset("ItalyPowerDemand")).unit
        'h'
    """
    check_dataset(
        dataset,
        strides=strides,
        window=window,
        detrend=detrend,
        tol=tol,
        seed=seed,
        replicates=replicates,
        hop=hop,
    )
    result = task_continuity(
        list(dataset.sequences),
        dt=dataset.dt,
        unit=dataset.unit,
        strides=tuple(strides),
        kind=dataset.kind,
        window=window,
        times=None if dataset.times is None else list(dataset.times),
        detrend=detrend,
        tol=tol,
        seed=seed,
        replicates=replicates,
        hop=hop,
        name=dataset.name,
        channel_names=dataset.channel_names or None,
    )
    made = result.provenance
    return replace(
        result,
        provenance=replace(made, parameters={**made.parameters, **dataset.versioned}),
        notes=(*dataset.notes, *result.notes),
        audits=dataset.audits,
    )


def check_dataset(
    dataset: Dataset,
    *,
    strides: Sequence[int] = (2, 4, 8, 16, 32, 64),
    window: int | None = None,
    detrend: Literal["linear"] | None = None,
    tol: float = 0.05,
    seed: int = 0,
    replicates: int = 999,
    hop: int | None = None,
) -> None:
    """Check everything about a measurement that can be checked without measuring.

    Args:
        dataset: As all that follow, as for `dataset_continuity`, which makes the same checks.
        strides: Whole numbers >= 2.
        window: Samples a piece.
        detrend: `"linear"` or None.
        tol: In (0, 1).
        seed: Of the bootstrap.
        replicates: Of the bootstrap.
        hop: Samples from one piece to the next; None for no overlap.

    Raises:
        TimegrainError: As `dataset_continuity` raises.
    """
    if not isinstance(dataset, Dataset):
        raise DataError(
            "dataset_continuity() measures a loaded dataset",
            got=type(dataset).__name__,
            expected="a Dataset, as load_dataset() returns",
            hint="timegrain.task_continuity(x) for arrays",
        )
    TaskOptions(
        dt=dataset.dt,
        strides=strides,
        detrend=detrend,
        tol=tol,
        seed=seed,
        replicates=replicates,
        window=window,
        kind=dataset.kind,
        unit=dataset.unit,
        name=dataset.name,
        hop=hop,
    )
    n, longest, width = len(dataset), int(dataset.lengths.max()), dataset.n_channels
    other = other_layout("bt" if width == 1 else "btc", (n, longest, width))
    check_long_enough(dataset.lengths, window, other)

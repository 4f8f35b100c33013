"""`task_continuity` of a loaded dataset, with its step, names and kind passed on."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from timegrain.continuity.task.measure import TaskContinuity, task_continuity

if TYPE_CHECKING:
    from timegrain.data.dataset import Dataset


def dataset_continuity(
    dataset: "Dataset",
    *,
    strides: Sequence[int] = (2, 4, 8, 16, 32, 64),
    window: int | None = None,
    detrend: Literal["linear"] | None = None,
    tol: float = 0.05,
    seed: int = 0,
) -> TaskContinuity:
    """Return the task continuity of all sequences of a dataset, in the dataset's own time unit.

    Args:
        dataset: From `load_dataset`.
        strides: Whole numbers >= 2.
        window: Samples a piece, or None for whole sequences.
        detrend: `"linear"` removes each piece's straight line first.
        tol: D above the nugget that ends the horizon.
        seed: Seed of the intervals' bootstrap.

    Raises:
        DataError: If no sequence is long enough.
    """
    return task_continuity(
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
        name=dataset.name,
        channel_names=dataset.channel_names or None,
    )

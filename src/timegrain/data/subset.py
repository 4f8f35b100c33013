"""Some sequences of a dataset, with all that is known of them."""

from dataclasses import replace

import numpy as np
from jaxtyping import Int64

from timegrain.data.dataset import Dataset


def take(data: Dataset, index: Int64[np.ndarray, " chosen"]) -> Dataset:
    """Return the dataset of the sequences at `index`, in ascending order.

    Args:
        data: A dataset.
        index: Numbers of sequences, ascending, at least one.

    Example:
        >>> take(Dataset(name="x", sequences=(np.zeros((3, 1)),) * 4, n_train=2), np.array([1, 3]))
        x: 2 sequences x 1 channel, length 3, dt 1 sample
    """

    def chosen(array: np.ndarray | None) -> np.ndarray | None:
        return None if array is None else array[index]

    def picked(arrays: tuple[np.ndarray, ...] | None) -> tuple[np.ndarray, ...] | None:
        return None if arrays is None else tuple(arrays[i] for i in index)

    n_train, n_validation = chosen_parts(data, np.asarray(index))
    return replace(
        data,
        sequences=tuple(data.sequences[i] for i in index),
        labels=chosen(data.labels),
        n_train=n_train,
        n_validation=n_validation,
        times=picked(data.times),
        ids=tuple(data.ids[i] for i in index) if data.ids else (),
        groups=chosen(data.groups),
        starts=chosen(data.starts),
        targets=picked(data.targets),
    )


def chosen_parts(data: Dataset, index: Int64[np.ndarray, " chosen"]) -> tuple[int | None, int]:
    """Return `n_train` and `n_validation` of what some sequences are made into.

    Where nothing is left to train on, or to test on, no split is published.

    Args:
        data: The dataset they are of.
        index: Their numbers, ascending; one may come several times.
    """
    if data.n_train is None:
        return None, 0
    n_train = int((index < data.n_train).sum()) or None
    known = int((index < data.n_train + data.n_validation).sum()) - (n_train or 0)
    return n_train, known if n_train and n_train + known < len(index) else 0

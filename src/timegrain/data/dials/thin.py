"""The dial that lowers the rate."""

from dataclasses import replace

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset
from timegrain.data.dials.kinds import Dial
from timegrain.data.dials.words import check_dose


def decimate(data: Dataset, k: float, *, seed: int = 0) -> Dataset:
    """Return the dataset with every k-th sample of each sequence, the first one kept.

    There is no filter: content faster than the new rate folds back, as in a device that is set to
    a slower rate without one. `timegrain.resample.fir_decimate` filters.

    Args:
        data: A dataset.
        k: Whole number >= 1; 1 returns `data` itself.
        seed: Not used: there is nothing random.

    Raises:
        ConfigError: If `k` is no whole number >= 1.
        DataError: If fewer than two samples of a sequence are left.

    Example:
        >>> decimate(Dataset(name="x", sequences=(np.zeros((9, 1)),), dt=0.5, unit="s"), 4)
        x: 1 sequence x 1 channel, length 3, dt 2 s
    """
    k = int(check_dose(DIAL, k))
    if k == 1:
        return data
    shortest = int(data.lengths.min())
    if shortest <= k:
        raise DataError(
            "a sequence is too short to be thinned like this",
            got=f"every {k}-th of {shortest} samples in {data.name!r}",
            expected="at least two samples left",
        )

    def kept(arrays: tuple[np.ndarray, ...] | None) -> tuple[np.ndarray, ...] | None:
        return None if arrays is None else tuple(a[::k] for a in arrays)

    return replace(
        data,
        sequences=tuple(s[::k] for s in data.sequences),
        dt=data.dt * k,
        times=kept(data.times),
        targets=kept(data.targets),
        starts=None if data.starts is None else data.starts // k,
        notes=(*data.notes, f"every {k}-th sample was kept, without a filter"),
    )


DIAL = Dial(
    name="decimate",
    turn=decimate,
    untouched=1.0,
    unit="samples",
    whole=True,
    meaning="every k-th sample kept, without a filter",
)

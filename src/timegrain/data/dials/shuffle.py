"""The dial that takes continuity and leaves information: a fixed shuffle within short windows."""

from dataclasses import replace

import numpy as np

from timegrain.core.errors import ConfigError
from timegrain.data.dataset import Dataset
from timegrain.data.dials.kinds import Dial
from timegrain.data.dials.order import shuffled_order
from timegrain.data.dials.words import check_dose

# permutations up to here cost nothing; longer ones only where there are so many samples
_LARGE = 1 << 20


def window_shuffle(data: Dataset, w: float, *, seed: int = 0) -> Dataset:
    """Return the dataset with one fixed permutation of the samples in every window of `w`.

    The permutation is the same for all windows, sequences and channels, and never leaves all
    samples where they are; at the end of a sequence what fits of it is applied. It can be undone,
    so what the samples say of a label stays. Times stay where they are; targets move along.

    Args:
        data: A dataset.
        w: Samples in a window, a whole number >= 1; 1 returns `data` itself. One beyond the longest
            sequence shuffles all of it.
        seed: Of the permutation.

    Raises:
        ConfigError: If `w` is no whole number >= 1, or far beyond the longest sequence.

    Note:
        Every dose has a permutation of its own, chosen among drawn ones so that all of a size make
        smooth data about as rough; see `shuffled_order`. Continuity then falls with every doubling
        of `w` as long as windows are short beside the stretch in which samples are alike; beyond,
        nothing is left of it.

    Example:
        >>> x = np.arange(5.0)[:, None]
        >>> window_shuffle(Dataset(name="x", sequences=(x,)), 2).sequences[0][:, 0].tolist()
        [1.0, 0.0, 3.0, 2.0, 4.0]
    """
    w = int(check_dose(DIAL, w))
    if w == 1:
        return data
    longest = int(data.lengths.max())
    if w > max(longest, _LARGE):
        raise ConfigError(
            f"windows to shuffle are longer than all of {data.name!r}",
            got=f"{w:,} samples",
            expected=f"{longest:,} at most",
        )
    order = shuffled_order(w, seed)
    targets = data.targets
    return replace(
        data,
        sequences=tuple(s[_index(len(s), order)] for s in data.sequences),
        targets=None if targets is None else tuple(t[_index(len(t), order)] for t in targets),
        notes=(*data.notes, f"samples were shuffled within windows of {w} (seed {seed})"),
    )


def _index(length: int, order: np.ndarray) -> np.ndarray:
    w = len(order)
    whole = length // w
    index = (np.arange(whole)[:, None] * w + order).ravel()
    rest = order[order < length - whole * w]
    return np.concatenate([index, whole * w + rest])


DIAL = Dial(
    name="window_shuffle",
    turn=window_shuffle,
    untouched=1.0,
    unit="samples",
    whole=True,
    meaning="samples shuffled within windows of so many, the same way in all of them",
)

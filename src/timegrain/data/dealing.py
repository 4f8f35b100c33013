"""Units dealt out to folds, so that every fold gets its share of every class."""

import numpy as np

from timegrain.data.together import Units, numbered


def dealt(found: Units, y: np.ndarray, n_folds: int, random: np.random.Generator) -> np.ndarray:
    """Return the fold of each unit: those that weigh most first, each where it balances best.

    Args:
        found: The units.
        y: One target a sequence; numbers of classes are balanced, values are not.
        n_folds: As many as there are units, at most.
        random: Breaks ties.
    """
    classes = numbered(y) if y.dtype.kind in "iu" else np.zeros(len(y), dtype=np.int64)
    if found.count == len(y):
        return _dealt_cases(classes[np.argsort(found.of)], n_folds, random)
    counts = np.zeros((found.count, classes.max() + 1))
    np.add.at(counts, (found.of, classes), 1.0)
    shares = counts / counts.sum(axis=0)
    order = random.permutation(found.count)
    order = order[np.argsort(-shares[order].max(axis=1), kind="stable")]
    filled = np.zeros((n_folds, counts.shape[1]))
    taken = np.zeros(n_folds)
    fold = np.empty(found.count, dtype=np.int64)
    for left, unit in zip(range(found.count, 0, -1), order, strict=True):
        # what a unit adds to the sum of squared shares is least where its classes are rarest
        cost = (filled @ shares[unit]) * 2 + (shares[unit] ** 2).sum()
        empty = taken == 0
        open_to = empty if empty.sum() >= left else np.ones(n_folds, dtype=bool)
        best = np.flatnonzero(open_to & (cost <= cost[open_to].min() + 1e-12))
        best = best[taken[best] == taken[best].min()]
        chosen = int(random.choice(best))
        fold[unit], taken[chosen] = chosen, taken[chosen] + 1
        filled[chosen] += shares[unit]
    return fold


def _dealt_cases(classes: np.ndarray, n_folds: int, random: np.random.Generator) -> np.ndarray:
    """Deal out the cases of one class after the other, like cards."""
    order = random.permutation(len(classes))
    order = order[np.argsort(classes[order], kind="stable")]
    fold = np.empty(len(classes), dtype=np.int64)
    fold[order] = np.arange(len(classes)) % n_folds
    return fold

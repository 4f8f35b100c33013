"""Which sequences train and which test, when nobody published it, so that nothing leaks."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64

from timegrain.core.errors import DataError
from timegrain.core.seeds import stream
from timegrain.data.dataset import Dataset
from timegrain.data.dealing import dealt
from timegrain.data.together import near, numbered, one_group_note, units

TEST_SHARE = 0.2
_FINEST = 20  # folds that a share is made of


@dataclass(frozen=True, kw_only=True, eq=False)
class Fold:
    """One division of the sequences of a dataset.

    Args:
        train: Numbers of the sequences to learn from, ascending.
        test: Numbers of those to score, ascending.
        repeat: Which round of folds it is part of; a round tests every sequence once.
    """

    train: Int64[np.ndarray, " train"]
    test: Int64[np.ndarray, " test"]
    repeat: int = 0


def folds(
    data: Dataset,
    y: np.ndarray,
    *,
    n_folds: int = 5,
    repeats: int = 3,
    ahead: int = 0,
    seed: int = 0,
) -> tuple[Fold, ...]:
    """Return rounds of folds in which no unit is on both sides.

    Classes are spread over folds as evenly as the units allow. Within one recording a fold is a
    stretch of time (in a round, the first and the last stretch may be one fold), and sequences
    that come nearer to it than a window's length are in neither part.

    Args:
        data: The sequences.
        y: One target a sequence, `(batch,)`: int64 numbers of classes, or float64 values.
        n_folds: At least 2; fewer where there are fewer units.
        repeats: Rounds, each with folds of its own.
        ahead: Samples behind a sequence's last that its target looks at.
        seed: Other seeds give other folds.

    Raises:
        DataError: If there are too few units.

    Example:
        >>> data = Dataset(name="x", sequences=(np.zeros((3, 1)),) * 10)
        >>> [len(f.test) for f in folds(data, np.repeat([0, 1], 5), repeats=1)]
        [2, 2, 2, 2, 2]
    """
    found = units(data)
    wanted = min(n_folds, found.count)
    if wanted < 2:
        raise DataError(
            f"{data.name!r} cannot be split", got=f"1 {found.way}", expected="2 or more"
        )
    made = []
    for repeat in range(repeats):
        random = stream(seed, "folds", repeat)
        if found.way == "time":
            offset = int(random.integers(found.count))
            of_case = (found.of + offset) % found.count * wanted // found.count
        else:
            of_case = dealt(found, y, wanted, random)[found.of]
        for k in range(wanted):
            inside = of_case == k
            away = ~near(data, inside, ahead) if found.way == "time" else ~inside
            made.append(
                Fold(train=np.flatnonzero(away), test=np.flatnonzero(inside), repeat=repeat)
            )
    if any(len(f.train) == 0 or len(f.test) == 0 for f in made):
        raise DataError(
            f"{data.name!r} cannot be split: nothing is left to learn from",
            got=f"{len(data)} windows, those within a window of the other side left out",
            hint="longer recordings, or a shorter window",
        )
    return tuple(made)


def holdout(data: Dataset, y: np.ndarray, *, ahead: int = 0, seed: int = 0) -> tuple[Fold, str]:
    """Return one split, about a fifth to test, and the sentence that says how it was made.

    Groups or recordings stay whole; within one recording the last fifth tests, and windows nearer
    to it than a window's length are left out; else a fifth of every class is drawn.

    Args:
        data: The sequences.
        y: One target a sequence, `(batch,)`.
        ahead: Samples behind a sequence's last that its target looks at.
        seed: Of the draw.

    Raises:
        DataError: If there are too few units.
    """
    found = units(data)
    if found.way == "case":
        train, test = split(y, seed=seed, stratify=y.dtype.kind in "iu")
        note = f"no published split: a fifth was set aside to test (seed {seed})"
        return Fold(train=train, test=test), "; ".join((note, *one_group_note(data)))
    fold = set_aside(data, y, share=TEST_SHARE, ahead=ahead, seed=seed)
    if found.way == "time":
        left = len(data) - len(fold.train) - len(fold.test)
        note = (
            "no published split: the last fifth of the recording tests; windows nearer to it than "
            f"a window's length ({left}) are left out"
        )
    else:
        tested = len(np.unique(found.of[fold.test]))
        note = (
            f"no published split: {tested} of {found.count} {found.way}s were set aside to test "
            f"(seed {seed})"
        )
    return fold, "; ".join((note, *one_group_note(data)))


def set_aside(data: Dataset, y: np.ndarray, *, share: float, ahead: int = 0, seed: int = 0) -> Fold:
    """Return a split with about a share of the sequences in its test part, so that nothing leaks.

    Groups or recordings stay whole, as near to the share as their number allows; within one
    recording its last part tests, and windows nearer to it than a window's length are in neither
    part; else the share is drawn, of every class as much as whole sequences allow.

    Args:
        data: The sequences.
        y: One target a sequence, `(batch,)`.
        share: Of the sequences, between 0 and 1.
        ahead: Samples behind a sequence's last that its target looks at.
        seed: Of the draw.

    Raises:
        DataError: If there are too few units.

    Example:
        >>> data = Dataset(name="x", sequences=(np.zeros((3, 1)),) * 8)
        >>> len(set_aside(data, np.repeat([0, 1], 4), share=0.25).test)
        2
    """
    found = units(data)
    if found.way == "case":
        test = _drawn(y, share, stream(seed, "set aside"))
        return Fold(train=np.setdiff1d(np.arange(len(data)), test), test=test)
    if found.way == "time":
        inside = found.of >= found.count - max(round(share * found.count), 1)
        train = np.flatnonzero(~near(data, inside, ahead))
        if not len(train):
            raise DataError(f"{data.name!r} is too short to split", got=f"{len(data)} windows")
        return Fold(train=train, test=np.flatnonzero(inside))
    n_folds, joined = _as_folds(share, found.count)
    made = folds(data, y, n_folds=n_folds, repeats=1, ahead=ahead, seed=seed)
    test = np.sort(np.concatenate([fold.test for fold in made[:joined]]))
    return Fold(train=np.setdiff1d(np.arange(len(data)), test), test=test)


def _as_folds(share: float, count: int) -> tuple[int, int]:
    """Return the fewest folds, and how many of them are nearest to a share.

    Example:
        >>> _as_folds(0.2, 30), _as_folds(0.3, 30), _as_folds(0.2, 3)
        ((5, 1), (10, 3), (3, 1))
    """
    pairs = [(n, j) for n in range(2, min(count, _FINEST) + 1) for j in range(1, n)]
    return min(pairs, key=lambda pair: (abs(pair[1] / pair[0] - share), pair), default=(2, 1))


def _drawn(y: np.ndarray, share: float, random: np.random.Generator) -> np.ndarray:
    """Return the cases drawn; one of every class is left where there are classes."""
    of = numbered(y) if y.dtype.kind in "iu" else np.zeros(len(y), dtype=np.int64)
    sizes = np.bincount(of)
    wanted = share * sizes
    counts = np.minimum(wanted.astype(np.int64), sizes - 1)
    missing = max(round(share * len(y)), 1) - int(counts.sum())
    # what rounding down left over goes to the classes that lost most by it, at random among equals
    order = random.permutation(len(sizes))
    order = order[np.argsort((counts - wanted)[order].round(9), kind="stable")]
    open_to = order[counts[order] < sizes[order] - 1]
    counts[open_to[:missing]] += 1
    if not counts.any():
        raise DataError(
            "too few sequences to set some aside",
            got=f"{len(y)} in {len(sizes)} classes" if y.dtype.kind in "iu" else str(len(y)),
            expected="two or more" + " in some class" * (y.dtype.kind in "iu"),
        )
    chosen = [random.permutation(np.flatnonzero(of == k))[:count] for k, count in enumerate(counts)]
    return np.sort(np.concatenate(chosen))


def balance_note(
    y_train: Int64[np.ndarray, " train"],
    y_test: Int64[np.ndarray, " test"],
    class_names: tuple[str, ...],
    *,
    most: int = 4,
) -> str:
    """Return the share of each class on both sides of a split, in percent.

    Args:
        y_train: Numbers of classes.
        y_test: Numbers of classes.
        class_names: One a class.
        most: With more classes, only the smallest and the largest share.

    Example:
        >>> balance_note(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), ("rest", "walk"))
        'classes in train / test: rest 50 / 25 %, walk 50 / 75 %'
    """
    shares = [100 * np.bincount(y, minlength=len(class_names)) / len(y) for y in (y_train, y_test)]
    if len(class_names) <= most:
        cells = [f"{n} {a:.0f} / {b:.0f} %" for n, a, b in zip(class_names, *shares, strict=True)]
        return f"classes in train / test: {', '.join(cells)}"
    ends = [f"{s.min():.1f} to {s.max():.1f} %" for s in shares]
    return f"{len(class_names)} classes, each {ends[0]} of train, {ends[1]} of test"


def split(
    labels: np.ndarray, *, seed: int = 0, stratify: bool = True
) -> tuple[Int64[np.ndarray, " train"], Int64[np.ndarray, " test"]]:
    """Return the sequences that train and the fifth that tests, each in their own order.

    Args:
        labels: One a sequence, `(batch,)`.
        seed: Other seeds give other splits.
        stratify: Take a fifth of every class (rounded; at least one stays in training), not a
            fifth of all.

    Raises:
        DataError: If there are too few sequences for a test part.

    Example:
        >>> train, test = split(np.repeat([0, 1], 10))
        >>> len(train), len(test)
        (16, 4)
    """
    rng = stream(seed, "split")
    keys = np.unique(labels) if stratify else [None]
    test: list[int] = []
    for key in keys:
        members = np.arange(len(labels)) if key is None else np.flatnonzero(labels == key)
        count = min(round(TEST_SHARE * len(members)), len(members) - 1)
        test += rng.permutation(members)[:count].tolist()
    if not test:
        raise DataError(
            "too few labelled sequences to set a fifth aside for testing",
            got=f"{len(labels)} sequences" + f" in {len(keys)} classes" * stratify,
            expected="three or more" + " in some class" * stratify,
        )
    chosen = np.zeros(len(labels), dtype=bool)
    chosen[test] = True
    return np.flatnonzero(~chosen), np.flatnonzero(chosen)

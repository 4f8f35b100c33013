import numpy as np
import pytest

from timegrain.core.errors import DataError
from timegrain.data import make_windows
from timegrain.data.dataset import Dataset
from timegrain.data.split import balance_note, folds, holdout, set_aside, split
from timegrain.data.together import units


def cases(n, **more):
    return Dataset(name="x", sequences=tuple(np.zeros((4, 1)) for _ in range(n)), **more)


def one_recording(n=400, window=20, hop=5):
    return make_windows(Dataset(name="x", sequences=(np.zeros((n, 1)),)), window=window, hop=hop)


@pytest.mark.parametrize(
    ("more", "way"),
    [
        ({}, "case"),
        ({"groups": np.array([0, 0, 1, 1, 2, 2])}, "group"),
        ({"groups": np.zeros(6, dtype=np.int64)}, "case"),
        ({"groups": np.zeros(6, dtype=np.int64), "ids": tuple("aabbcc")}, "recording"),
        ({"ids": tuple("abcdef")}, "case"),
        # as tables number them where a column names recordings and none names groups
        ({"ids": tuple("abcdef"), "groups": np.arange(6)}, "recording"),
        ({"ids": tuple("abcdef"), "groups": np.array([0, 0, 1, 1, 2, 2])}, "group"),
        ({"ids": tuple("aaaaaa"), "starts": np.arange(6) * 4}, "time"),
        (
            {
                "ids": tuple("aabbcc"),
                "starts": np.arange(6),
                "groups": np.array([0, 0, 1, 1, 2, 2]),
            },
            "recording",
        ),
        (
            {
                "ids": tuple("aabbcc"),
                "starts": np.arange(6),
                "groups": np.array([0, 0, 1, 1, 1, 1]),
            },
            "group",
        ),
    ],
)
def test_what_stays_together(more, way):
    assert units(cases(6, **more)).way == way


def test_every_case_is_tested_once_a_round():
    y = np.repeat([0, 1, 2], [25, 10, 8])
    rounds = folds(cases(43), y, repeats=3)
    for repeat in range(3):
        own = [f for f in rounds if f.repeat == repeat]
        assert sorted(np.concatenate([f.test for f in own])) == list(range(43))
        for f in own:
            assert sorted([*f.train, *f.test]) == list(range(43))
            # a fifth of every class, rounded up or down
            assert (np.abs(np.bincount(y[f.test], minlength=3) - np.array([5, 2, 1.6])) < 1).all()
    assert rounds[0].test.tolist() != rounds[5].test.tolist()
    again = folds(cases(43), y, repeats=3)
    assert all((a.test == b.test).all() for a, b in zip(rounds, again, strict=True))
    assert rounds[0].test.tolist() != folds(cases(43), y, seed=1)[0].test.tolist()


def test_groups_stay_whole_and_classes_balanced():
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), random.integers(1, 20, 30))
    y = (np.arange(30) % 3)[groups]
    data = cases(len(groups), groups=groups)
    for f in folds(data, y):
        assert not set(groups[f.train]) & set(groups[f.test])
        shares = np.bincount(y[f.test], minlength=3) / np.bincount(y)
        # a fifth each; the largest group is below a tenth of its class
        assert (np.abs(shares - 0.2) < 0.1).all()


def test_few_groups_are_one_fold_each():
    data = cases(30, groups=np.repeat([0, 1, 2], 10))
    rounds = folds(data, np.arange(30) % 2, repeats=1)
    assert [len(f.test) for f in rounds] == [10, 10, 10]


@pytest.mark.parametrize("ahead", [0, 7])
def test_no_sample_of_one_recording_is_on_both_sides(ahead):
    data = one_recording()
    rounds = folds(data, np.zeros(len(data)), ahead=ahead)
    for f in rounds:
        seen = {s for i in f.train for s in range(data.starts[i], data.starts[i] + 20 + ahead)}
        asked = {s for i in f.test for s in range(data.starts[i], data.starts[i] + 20 + ahead)}
        assert not seen & asked
        gap = min(abs(a - b) for a in (min(asked), max(asked)) for b in seen)
        assert gap > 20
        assert len(f.train) > len(data) / 2
    assert len({tuple(f.test) for f in rounds}) == 15


def test_a_fold_is_a_stretch():
    data = one_recording()
    for f in folds(data, np.zeros(len(data)), repeats=1):
        jumps = (np.diff(f.test) > 1).sum()
        assert jumps == 0 or (jumps == 1 and {0, len(data) - 1} <= set(f.test.tolist()))


def test_holdout_of_groups():
    data = cases(40, groups=np.repeat(np.arange(10), 4))
    fold, note = holdout(data, np.arange(40) % 2)
    assert len(fold.test) == 8 and "2 of 10 groups" in note
    assert not set(data.groups[fold.train]) & set(data.groups[fold.test])


def test_what_cannot_be_split():
    with pytest.raises(DataError, match="nothing is left to learn from"):
        folds(one_recording(60, window=30, hop=10), np.zeros(4))
    with pytest.raises(DataError, match="too short to split"):
        holdout(one_recording(60, window=30, hop=10), np.zeros(4))
    with pytest.raises(DataError, match="cannot be split, got 1 case"):
        folds(cases(1), np.zeros(1))


def test_balance_of_many_classes():
    y = np.arange(60) % 6
    note = balance_note(y, y, tuple("abcdef"))
    assert note == "6 classes, each 16.7 to 16.7 % of train, 16.7 to 16.7 % of test"


@pytest.mark.parametrize("share", [0.1, 0.25, 0.4])
def test_a_share_is_drawn_of_every_class_as_nearly_as_whole_cases_allow(share):
    y = np.repeat([0, 1, 2], [40, 20, 7])
    fold = set_aside(cases(67), y, share=share)
    counts = np.bincount(y[fold.test], minlength=3)
    assert np.all(np.abs(counts - share * np.bincount(y)) < 1)
    assert len(fold.test) == round(share * 67)
    assert sorted([*fold.train, *fold.test]) == list(range(67))


def test_of_many_small_classes_some_are_drawn_and_none_is_lost():
    y = np.repeat(np.arange(52), 2)
    fold = set_aside(cases(104), y, share=0.2)
    assert len(fold.test) == 21
    assert len(set(y[fold.train])) == 52
    other = set_aside(cases(104), y, share=0.2, seed=1)
    assert set(other.test) != set(fold.test)
    with pytest.raises(DataError, match="too few sequences to set some aside"):
        set_aside(cases(3), np.arange(3), share=0.2)


def test_what_is_set_aside_holds_whole_groups_or_the_end_of_a_recording():
    groups = np.repeat(np.arange(10), 3)
    fold = set_aside(cases(30, groups=groups), np.resize([0, 1], 30), share=0.3)
    assert not set(groups[fold.train]) & set(groups[fold.test])
    assert len(set(groups[fold.test])) == 3
    data = one_recording()
    fold = set_aside(data, np.zeros(len(data)), share=0.3)
    assert len(fold.test) == round(0.3 * len(data))
    assert max(data.starts[fold.train]) + 2 * 20 <= min(data.starts[fold.test])


def test_too_few_values_are_not_called_classes():
    with pytest.raises(DataError, match="got 2 sequences, expected three or more") as found:
        split(np.array([0.5, 1.5]), stratify=False)
    assert "class" not in str(found.value)

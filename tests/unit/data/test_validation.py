"""A published validation part: next to the training part, before the test part."""

from dataclasses import replace

import numpy as np
import pytest

from timegrain.core.errors import DataError
from timegrain.data import Dataset, make_task, make_windows
from timegrain.data.subset import take


def published(n_train=6, n_validation=3, cases=14):
    draw = np.random.default_rng(0)
    return Dataset(
        name="set",
        sequences=tuple(draw.normal(size=(8, 1)) + i for i in range(cases)),
        labels=np.arange(cases) % 2,
        class_names=("a", "b"),
        n_train=n_train,
        n_validation=n_validation,
    )


def test_a_task_has_the_three_parts_in_their_order():
    task = make_task(published())
    assert task.train.index.tolist() == [0, 1, 2, 3, 4, 5]
    assert task.validation.index.tolist() == [6, 7, 8]
    assert task.test.index.tolist() == [9, 10, 11, 12, 13]
    # scaled by the training part alone
    alone = make_task(replace(published(), n_validation=0))
    assert alone.validation is None
    assert np.array_equal(alone.train.x, task.train.x)
    assert np.array_equal(alone.test.x[3:], task.test.x)
    assert np.array_equal(alone.test.x[:3], task.validation.x)


@pytest.mark.parametrize(("n_train", "n_validation"), [(6, 8), (6, 9), (6, -1), (14, 1), (None, 3)])
def test_a_part_that_leaves_nothing_to_test_is_refused(n_train, n_validation):
    with pytest.raises(DataError, match="no such validation part"):
        published(n_train, n_validation)


@pytest.mark.parametrize(
    ("index", "parts"),
    [
        ([0, 5, 6, 9], (2, 1)),
        ([0, 9, 13], (1, 0)),
        ([0, 1], (2, 0)),
        ([0, 6, 7], (1, 0)),  # with nothing to test, no part is for validation
        ([7, 9], (None, 0)),
    ],
)
def test_some_sequences_keep_their_part(index, parts):
    data = take(published(), np.array(index))
    assert (data.n_train, data.n_validation) == parts


def test_windows_keep_the_part_of_their_recording():
    cut = make_windows(published(), window=4)
    assert (cut.n_train, cut.n_validation, len(cut)) == (12, 6, 28)
    task = make_task(cut)
    owners = {cut.ids[i] for i in task.validation.index}
    assert owners == {"6", "7", "8"}

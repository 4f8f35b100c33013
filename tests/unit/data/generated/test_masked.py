"""Generated cases that ask for answers at some samples only."""

from dataclasses import replace

import numpy as np
import pytest

from timegrain.core.errors import DataError
from timegrain.data import check_source, load_dataset, load_task, make_task
from timegrain.data.generated.dataset import generated_dataset
from timegrain.data.generated.lazy import lazy_dataset
from timegrain.data.windows import make_windows

FEW = {"n_train": 20, "n_validation": 2, "n_test": 10}


def masked(echo, asked):
    def make(index, *, seed, **options):
        made = echo.make(index, seed=seed, **options)
        return replace(made, labels=np.where(asked(index, made.labels), made.labels, -1))

    return replace(echo, make=make).turned(each=True)


def at_odd_places(_, labels):
    return np.arange(labels.shape[1]) % 2 == 1


def test_places_without_an_answer_are_no_answers(echo):
    task = make_task(generated_dataset(masked(echo, at_odd_places)), each_sample=True)
    every = make_task(generated_dataset(echo.turned(each=True)), each_sample=True)
    assert (task.train.y[:, ::2] == -1).all()
    assert (task.train.y[:, 1::2] == every.train.y[:, 1::2]).all()
    commonest = np.bincount(every.train.y[:, 1::2].ravel()).argmax()
    assert task.trivial_score == np.mean(every.test.y[:, 1::2] == commonest)
    read = make_task(lazy_dataset(masked(echo, at_odd_places)), lazy=True, each_sample=True)
    assert (read.test.y == task.test.y).all() and read.trivial_score == task.trivial_score


def test_a_part_that_asks_nothing_is_refused(echo):
    with pytest.raises(DataError, match="asks for no answer in a part"):
        make_task(
            generated_dataset(masked(echo, lambda i, y: (i < 2**40)[:, None] & (y >= 0))),
            each_sample=True,
        )


def test_windows_whose_last_sample_is_not_asked_are_left_out(echo):
    data = generated_dataset(masked(echo, at_odd_places))
    cut = make_windows(data, window=4, hop=1)
    assert set((cut.starts % 2).tolist()) == {0}
    assert cut.labels.min() >= 0
    assert "without a known target left out" in cut.notes[-1]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("mqar", {"pairs": 4, "length": 32}),
        ("selective-copying", {"marked": 8, "length": 32}),
    ],
)
def test_published_forms_are_tasks_that_keep_the_contract(name, options):
    words = {"answer": "every", **options}
    task = load_task(name, **FEW, **words)
    assert task.train.y.shape == task.train.x.shape[:2]
    found = load_dataset(name, **FEW, **words)
    flat = np.concatenate([t[t >= 0] for t in found.targets[22:]])
    commonest = np.bincount(np.concatenate([t[t >= 0] for t in found.targets[:20]])).argmax()
    assert task.trivial_score == np.mean(flat == commonest)
    check_source(name, cases=16, **words).raise_if_failed()

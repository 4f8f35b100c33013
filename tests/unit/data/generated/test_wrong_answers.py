"""Labels, lengths and answers that are none, of sources of one's own: held and lazily alike."""

from dataclasses import replace

import numpy as np
import pytest

from timegrain.core.errors import ConfigError, DataError
from timegrain.data import load_task
from timegrain.data.dataset import Dataset
from timegrain.data.generated import Cases


def relabelled(generator, change):
    def make(index, *, seed, **options):
        made = generator.make(index, seed=seed, **options)
        return Cases(sequences=made.sequences, labels=change(made.labels), lengths=made.lengths)

    return replace(generator, make=make)


def spoilt(y):
    y = y.astype(np.float64)
    y[0] = np.nan
    return y


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("echo", lambda y: y + 1, "must number its 3 classes"),
        ("echo", lambda y: y - 1, "must number its 3 classes"),
        ("echo", lambda y: y.astype(float), "must number its 3 classes"),
        ("echo", lambda y: y[:, None], "labels of another form"),
        ("echo", lambda y: y.tolist(), "labels of another form.*list"),
        ("walk", spoilt, "must be a finite float64"),
        ("walk", lambda y: np.arange(len(y)), "must be finite float64"),
        ("walk", lambda y: y[:, None, None], "labels of another form"),
    ],
)
def test_a_label_that_is_none(name, change, words, lazy, request):
    source = relabelled(request.getfixturevalue(name), change)
    with pytest.raises(DataError, match=words):
        load_task(source, lazy=lazy)


@pytest.mark.parametrize("lazy", [False, True])
def test_one_label_a_case_is_not_one_a_sample(echo, lazy):
    def make(index, *, seed, **options):
        return echo.make(index, seed=seed, **{**options, "each": False})

    with pytest.raises(DataError, match=r"labels of another form.*class-per-sample"):
        load_task(replace(echo.turned(each=True), make=make), lazy=lazy)


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("length", [-1, 99, 4.0])
def test_a_length_that_no_sequence_has(walk, length, lazy):
    def make(index, *, seed, **options):
        made = walk.make(index, seed=seed, **options)
        return replace(made, lengths=np.full(len(index), length))

    with pytest.raises(DataError, match="sequences of no such lengths"):
        load_task(replace(walk, make=make), lazy=lazy)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (lambda index, *, seed, **_: (np.zeros(1), None), "labels of another form"),
        (lambda index, *, seed, **_: (np.zeros(len(index)), index[:1]), "no such lengths"),
        (lambda index, *, seed, **_: 1 / 0, "cannot give its answers.*division"),
        (lambda index, *, seed: (np.zeros(len(index)), None), "cannot give its answers.*length"),
    ],
)
def test_answers_of_another_form(walk, answers, words):
    with pytest.raises(DataError, match=words):
        load_task(replace(walk, answers=answers), lazy=True)


@pytest.mark.parametrize(
    ("depends", "words"),
    [
        (lambda **_: {"zz": 1}, "'zz' from depends"),
        (lambda **_: None, "None from depends"),
        (lambda **_: {"make": print}, "'make' from depends"),
        (lambda: {}, "cannot be turned to these options"),
    ],
)
def test_what_follows_from_options_is_none_of_the_fields(walk, depends, words):
    with pytest.raises(ConfigError, match=words):
        replace(walk, depends=depends).turned(length=20)


def test_two_classes_of_one_name():
    x = (np.zeros((4, 1)),) * 2
    with pytest.raises(DataError, match=r"two classes of 'x' have one name, got 'b'"):
        Dataset(name="x", sequences=x, labels=np.array([0, 1]), class_names=("a", "b", "b"))

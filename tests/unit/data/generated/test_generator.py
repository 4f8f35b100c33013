from dataclasses import replace

import numpy as np
import pytest

from timegrain.core.errors import ConfigError, DataError
from timegrain.data import load_task
from timegrain.data.generated import Cases, case_numbers


def test_options_are_checked_against_those_it_has(walk):
    turned = walk.turned(length=5.0, step=2)
    assert turned.settings == {"length": 5, "step": 2.0, "lengthen": False}
    assert turned.turned(step=1).settings == {"length": 5, "step": 1.0, "lengthen": False}
    assert walk.settings["length"] == 16
    assert repr(turned) == "walk(length=5, step=2.0, lengthen=False)"


def test_a_word_it_does_not_have_is_an_error_that_names_those_it_has(walk):
    with pytest.raises(ConfigError) as raised:
        walk.turned(lengths=5)
    said = str(raised.value)
    assert "'walk' has no option 'lengths'" in said
    assert "one of seed, length, step, lengthen, n_train, n_validation, n_test" in said
    assert "Try length" in said


@pytest.mark.parametrize("wrong", [{"length": 1}, {"step": -1}, {"n_train": 0}, {"n_test": 1.5}])
def test_a_value_outside_its_domain_is_refused(walk, wrong):
    with pytest.raises(ConfigError, match="expected"):
        walk.turned(**wrong)


def test_what_follows_from_options_is_set(echo):
    turned = echo.turned(kinds=5, each=True, n_test=3)
    assert turned.class_names == ("0", "1", "2", "3", "4")
    assert (turned.n_symbols, turned.target, turned.n_test) == (5, "class-per-sample", 3)
    assert (turned.metric, turned.per_sample) == ("accuracy", True)
    assert echo.n_symbols == 3


def test_cases_are_those_of_their_numbers(walk):
    turned = walk.turned(lengthen=True)
    cases = turned.cases(np.array([7, 2**40, 7]), seed=3)
    assert np.array_equal(cases.sequences[0], cases.sequences[2])
    assert not np.array_equal(cases.sequences[0], cases.sequences[1])
    assert len(cases) == 3
    alone = turned.cases(case_numbers("validation", 1), seed=3)
    assert np.array_equal(alone.sequences[0], cases.sequences[1])


@pytest.mark.parametrize("seed", [-1, 2**64, True, 1.0, "1", None])
def test_what_is_no_seed_is_refused(walk, seed):
    with pytest.raises(ConfigError, match="no such seed"):
        walk.cases(np.arange(2), seed=seed)


def test_a_generator_that_makes_another_number_of_cases_is_told(walk):
    def one_too_few(index, *, seed, **options):
        made = walk.make(index[1:], seed=seed, **options)
        return Cases(sequences=made.sequences, labels=made.labels)

    with pytest.raises(DataError, match="made other cases than were asked for"):
        replace(walk, make=one_too_few).cases(np.arange(4))


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": " "},
        {"unit": 3},
        {"unit": ""},
        {"target": "foo"},
        {"kind": "text"},
        {"n_train": 1.5},
        {"n_test": 0},
        {"dt": 0.0},
        {"dt": float("nan")},
        {"make": None},
        {"options": {"length": 4}},
    ],
)
def test_a_description_of_nothing_is_refused(walk, wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))[:6]):
        replace(walk, **wrong)


@pytest.mark.parametrize("index", [[-1], [1.5], ["a"], 3, [[1], [2, 3]], [[1, 2]]])
def test_what_is_no_number_of_a_case_is_refused(walk, index):
    with pytest.raises(ConfigError, match="'walk' has no such cases"):
        walk.cases(index)


@pytest.mark.parametrize("asked", [("foo", 3), ("Test", 3), ("train", 1.5), ("train", -1)])
def test_what_is_no_part_is_refused(asked):
    with pytest.raises(ConfigError, match="part"):
        case_numbers(*asked)


def test_more_cases_than_memory_has_numbers_for(walk):
    with pytest.raises(DataError, match=r"a list of 1,000,000,000,016 cases of.*\nTry fewer cases"):
        load_task(walk, n_train=10**12, lazy=True)

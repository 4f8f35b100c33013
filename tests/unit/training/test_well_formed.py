"""Tasks made by hand whose numbers cannot be learnt from are refused before any training."""

from dataclasses import replace

import numpy as np
import pytest

from timegrain.core.errors import ConfigError, DataError
from timegrain.models.build import build_model
from timegrain.training.loop import train
from timegrain.training.tuning.search import find_lr
from timegrain.training.well_formed import check_parts


def net(task):
    return build_model(
        "gru", d_input=task.d_input, d_output=task.d_output, d_model=4, n_layers=1, seed=0
    )


def with_target(task, part, value, dtype=None):
    one = getattr(task, part)
    y = np.array(one.y, dtype=dtype)
    y[2] = value
    return replace(task, **{part: replace(one, y=y)})


def refused(task):
    epochs = []
    with pytest.raises(DataError) as found:
        train(net(task), task, epochs=1, on_epoch=epochs.append)
    assert not epochs
    return str(found.value)


@pytest.mark.parametrize("part", ["train", "test"])
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (-np.inf, "infinity")])
def test_values_to_predict_are_finite(values, part, value, word):
    said = refused(with_target(values, part, value))
    assert f"a value to predict is not finite, got {word} for sequence 2 of {part}" in said


@pytest.mark.parametrize("part", ["train", "test"])
@pytest.mark.parametrize("value", [-1, -100, 7])
def test_classes_have_numbers_that_a_network_answers(task, part, value):
    said = refused(with_target(task, part, value))
    assert f"no number of a class, got {value} for sequence 2 of {part}" in said
    assert f"0..{task.d_output - 1}" in said


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (0.5, "0.5")])
def test_a_class_is_a_whole_number(task, value, word):
    assert f"got {word} for sequence 2" in refused(with_target(task, "train", value, float))


@pytest.mark.parametrize("part", ["train", "test"])
def test_an_input_that_is_missing_is_named(task, part):
    one = getattr(task, part)
    x = np.array(one.x)
    x[3, 4, 0] = np.nan
    said = refused(replace(task, **{part: replace(one, x=x)}))
    assert f"an input is not finite, got NaN in sequence 3 of {part}, sample 4, channel 0" in said


def test_what_lies_behind_the_end_does_not_matter(task):
    one = task.train
    x, lengths = np.array(one.x), np.array(one.lengths)
    lengths[3] -= 1
    x[3, lengths[3] :] = 0
    odd = x.copy()
    odd[3, lengths[3] :] = np.inf
    check_parts(replace(task, train=replace(one, x=odd, lengths=lengths)), ("train",))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"epoch_share": 2}, "share of the epochs"),
        ({"seed": -1}, "seed is a whole number"),
        ({"options": 3}, "options= takes keywords"),
        ({"options": [1]}, "options= takes keywords"),
        ({"options": {1: 2}}, "options= takes keywords"),
        ({"on_rate": 3}, "on_rate is called"),
    ],
)
def test_words_of_a_search_are_checked_before_it(task, words, said):
    with pytest.raises(ConfigError, match=said):
        find_lr(net(task), task, **words)

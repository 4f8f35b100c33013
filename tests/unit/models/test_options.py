import numpy as np
import pytest

from timegrain.core.errors import ConfigError
from timegrain.models.options import flag, one_of, real, seed_number, shown, step_range, whole


@pytest.mark.parametrize("word", ["no", "False", "x", 0, 1, None, np.True_])
def test_a_word_is_neither_yes_nor_no(word):
    with pytest.raises(ConfigError, match=r"skip is a yes or no.*\nTry skip=false"):
        flag("skip", word)
    assert flag("skip", False) is False


@pytest.mark.parametrize("value", [True, 1.0, "3", None, 0, 8])
def test_a_whole_number_within_bounds(value):
    with pytest.raises(ConfigError, match=r"levels is a whole number, got .* expected 1\.\.7"):
        whole("levels", value, least=1, most=7)


def test_a_number_of_numpy_is_told_how_to_be_one():
    with pytest.raises(ConfigError, match="Try d_model=4"):
        whole("d_model", np.int64(4), least=1)


@pytest.mark.parametrize("seed", [-1, 2**64, "x", 1.5, True, None])
def test_a_seed_that_nothing_can_be_seeded_with(seed):
    with pytest.raises(ConfigError, match="seed is a whole number"):
        seed_number(seed)


@pytest.mark.parametrize("value", ["x", None, True, float("nan"), float("inf"), 10**400, 1j])
def test_what_is_no_real_number(value):
    with pytest.raises(ConfigError, match="dt is a number"):
        real("dt", value)
    with pytest.raises(ConfigError):
        step_range(value, 1.0)


def test_real_numbers_of_any_type():
    assert [real("dt", v) for v in (2, np.float32(0.5), np.int8(3))] == [2.0, 0.5, 3.0]


def test_a_list_is_not_one_of_the_words():
    with pytest.raises(ConfigError, match=r"head is unknown, got \['mean'\]"):
        one_of("head", ["mean"], ("mean", "last"))


def test_values_are_shown_on_one_short_line():
    assert shown("x" * 100).endswith("...")
    assert len(shown("x" * 100)) == 60
    assert shown(10**5000) == "a huge int"
    assert shown(np.eye(3)) == "a ndarray"

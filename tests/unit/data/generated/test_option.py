import math

import numpy as np
import pytest

from timegrain.core.errors import ConfigError
from timegrain.data.generated import choice, number, switch, whole


def test_whole_numbers_may_be_written_as_floats():
    option = whole(4, 2, 9, "the number of things")
    assert option.take("n", 3.0) == 3
    assert isinstance(option.take("n", np.int64(5)), int)
    assert option.domain == "a whole number 2 to 9"
    assert whole(4, 2, None, "x").domain == "a whole number >= 2"


@pytest.mark.parametrize("wrong", [1, 10, 2.5, True, "4", None, [3], math.nan, math.inf, 1 + 2j])
def test_what_is_no_such_whole_number_is_refused(wrong):
    with pytest.raises(ConfigError, match=r"n is the number of things.*expected a whole number 2"):
        whole(4, 2, 9, "the number of things").take("n", wrong)


@pytest.mark.parametrize("wrong", [-0.1, 1.1, True, "1", None, math.nan, math.inf])
def test_what_is_no_such_number_is_refused(wrong):
    with pytest.raises(ConfigError, match="expected 0 to 1"):
        number(0.0, 0.0, 1.0, "a share").take("eta", wrong)


def test_an_end_may_be_left_out_or_open():
    option = number(1.0, 0.0, math.inf, "a step", above=True)
    assert option.domain == "a number > 0"
    assert option.take("dt", 1) == 1.0
    for wrong in (0, math.inf):
        with pytest.raises(ConfigError):
            option.take("dt", wrong)


def test_words_and_switches():
    assert choice("a", ("a", "b"), "x").take("w", "b") == "b"
    assert switch(True, "x").take("w", False) is False
    for option, wrong in ((choice("a", ("a", "b"), "x"), "c"), (switch(True, "x"), 1)):
        with pytest.raises(ConfigError):
            option.take("w", wrong)

import numpy as np
import pytest

from timegrain.core.errors import UnknownNameError
from timegrain.data.load import load_dataset
from timegrain.study.sets import load_set


def test_one_channel_is_a_set_of_its_own():
    whole, one = load_dataset("weather"), load_set("weather/Wspd")
    assert (one.name, one.channel_names, one.dt) == ("weather/Wspd", ("Wspd",), whole.dt)
    column = whole.channel_names.index("Wspd")
    assert np.array_equal(one.sequences[0][:, 0], whole.sequences[0][:, column], equal_nan=True)


def test_a_channel_that_is_not_there_is_named_with_the_nearest():
    with pytest.raises(UnknownNameError, match=r"Wspd"):
        load_set("weather/wind")
    with pytest.raises(UnknownNameError):
        load_set("OSULeaf/x")

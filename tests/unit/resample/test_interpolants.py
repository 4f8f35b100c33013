import numpy as np
import pytest

from timegrain.core import GridError
from timegrain.resample import interpolate


def test_times_need_not_be_uniform():
    times = np.array([0.0, 1.0, 4.0])
    values = (2 * times)[None, :, None]
    new = np.array([0.5, 2.0, 4.0])
    np.testing.assert_allclose(
        interpolate(times, values, new, interpolant="linear")[0, :, 0], 2 * new
    )


def test_equal_timestamps_are_refused():
    with pytest.raises(GridError, match="equal timestamps"):
        interpolate(
            np.array([0.0, 1.0, 1.0]), np.zeros((1, 3, 1)), np.array([0.5]), interpolant="linear"
        )


@pytest.mark.parametrize("new", [-0.1, 2.1])
def test_there_is_no_extrapolation(new):
    with pytest.raises(GridError, match=r"within 0\.\.2"):
        interpolate(np.arange(3.0), np.zeros((1, 3, 1)), np.array([new]), interpolant="cubic")

import numpy as np
import pytest

from timegrain.core import GridError, LayoutError, Signal, TimeGrid
from timegrain.resample import coarse_lengths, coarsen, valid_samples


@pytest.fixture
def ramp():
    return Signal(values=np.arange(10.0).reshape(1, 10, 1), grid=TimeGrid(dt=0.5, n=10, unit="s"))


@pytest.mark.parametrize(("stride", "offset"), [(1, 0), (2, 0), (3, 1), (4, 3), (20, 0)])
def test_kept_samples_keep_their_values_and_times(ramp, stride, offset):
    coarse = coarsen(ramp, stride, offset=offset)
    np.testing.assert_array_equal(coarse.values[0, :, 0], np.arange(offset, 10, stride))
    np.testing.assert_allclose(coarse.grid.times, 0.5 * np.arange(offset, 10, stride))


def test_the_function_of_time_survives():
    grid = TimeGrid(dt=0.1, n=21)
    signal = Signal.sample(lambda t: np.sin(t)[None, :, None], grid)
    assert coarsen(signal, 4).function is signal.function


def test_lengths_shrink_as_the_samples_do(ramp):
    for length in range(11):
        for stride in (1, 2, 3, 7):
            for offset in (0, 1, 2):
                kept = len(range(offset, length, stride))
                assert coarse_lengths(np.array([length]), stride, offset=offset)[0] == kept


def test_valid_samples_count_to_the_lengths():
    lengths = np.array([0, 3, 5])
    np.testing.assert_array_equal(valid_samples(lengths, 5).sum(1), lengths)


@pytest.mark.parametrize(("stride", "offset"), [(0, 0), (2, -1)])
def test_impossible_strides_and_offsets_are_refused(ramp, stride, offset):
    with pytest.raises(GridError):
        coarsen(ramp, stride, offset=offset)
    with pytest.raises(GridError):
        coarse_lengths(np.array([4]), stride, offset=offset)


@pytest.mark.parametrize("lengths", [np.array([1.5]), np.array([[1]]), np.array([-1])])
def test_lengths_are_whole_numbers_one_a_sequence(lengths):
    with pytest.raises(LayoutError):
        coarse_lengths(lengths, 2)


def test_lengths_beyond_the_array_are_refused():
    with pytest.raises(LayoutError, match=r"0\.\.5"):
        valid_samples(np.array([6]), 5)


def test_lengths_without_a_sign_are_counted_as_others():
    lengths = np.array([1, 7, 9], dtype=np.uint8)
    assert coarse_lengths(lengths, 4, offset=3).tolist() == [0, 1, 2]

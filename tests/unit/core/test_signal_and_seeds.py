import numpy as np
import pytest

from timegrain.core.errors import GridError, LayoutError
from timegrain.core.grid import TimeGrid
from timegrain.core.seeds import stream
from timegrain.core.signal import Signal


def wave(times):
    return np.sin(times)[None, :, None]


def test_a_signal_with_a_function_is_sampled_exactly_on_any_grid():
    signal = Signal.sample(wave, TimeGrid(dt=0.1, n=11))
    fine = signal.resample(signal.grid.refine(4))
    np.testing.assert_array_equal(fine.values[:, ::4], wave(fine.grid.times[::4]))
    assert fine.values.shape == (1, 41, 1)


def test_without_a_function_resampling_is_refused():
    signal = Signal(values=np.zeros((1, 3, 1)), grid=TimeGrid(dt=1.0, n=3))
    with pytest.raises(GridError, match="known only at its samples"):
        signal.resample(TimeGrid(dt=0.5, n=5))


@pytest.mark.parametrize(
    "values", [np.zeros((3, 1)), np.zeros((1, 3, 1), dtype=int), np.zeros((1, 4, 1))]
)
def test_values_must_be_floating_with_three_axes_that_fit(values):
    with pytest.raises(LayoutError):
        Signal(values=values, grid=TimeGrid(dt=1.0, n=3))


def test_streams_depend_on_seed_and_keys_alone():
    draws = {
        key: stream(*key).random()
        for key in [(0,), (1,), (0, "a"), (0, "b"), (0, "a", 1), (0, "a", 2)]
    }
    assert len(set(draws.values())) == len(draws)
    assert stream(0, "a", 1).random() == draws[(0, "a", 1)]

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timegrain.core.errors import GridError
from timegrain.core.grid import TimeGrid


def test_times_start_at_t0():
    assert TimeGrid(dt=0.5, n=3, t0=1.0).times.tolist() == [1.0, 1.5, 2.0]


@given(n=st.integers(1, 50), factor=st.integers(1, 9))
def test_refined_grid_holds_the_old_instants(n, factor):
    grid = TimeGrid(dt=0.25, n=n)
    fine = grid.refine(factor)
    assert fine.n == factor * (n - 1) + 1
    np.testing.assert_allclose(fine.times[::factor], grid.times, rtol=1e-15 * fine.n)


@given(n=st.integers(1, 50), stride=st.integers(1, 9), data=st.data())
def test_coarse_grid_is_the_strided_one(n, stride, data):
    offset = data.draw(st.integers(0, n - 1))
    grid = TimeGrid(dt=0.5, n=n)
    assert grid.coarsen(stride, offset=offset).times.tolist() == (
        grid.times[offset::stride].tolist()
    )


def test_tau_is_the_ratio_to_the_trained_step():
    assert TimeGrid(dt=0.02, n=2).tau(0.01) == 2.0


@pytest.mark.parametrize("dt", [0.0, -1.0, float("nan"), float("inf")])
def test_a_step_must_be_positive(dt):
    with pytest.raises(GridError, match="dt > 0"):
        TimeGrid(dt=dt, n=2)


def test_bad_factors_and_offsets_are_refused():
    grid = TimeGrid(dt=1.0, n=4)
    for call in (
        lambda: grid.refine(0),
        lambda: grid.coarsen(0),
        lambda: grid.coarsen(2, offset=4),
        lambda: grid.tau(0.0),
        lambda: TimeGrid(dt=1.0, n=0),
    ):
        with pytest.raises(GridError):
            call()


def test_more_instants_than_any_array_holds_do_not_fit_in_memory():
    with pytest.raises(MemoryError, match="instants"):
        _ = TimeGrid(dt=1.0, n=64).refine(2**99).times

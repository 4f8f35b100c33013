import numpy as np
import pytest

from timegrain.core import ConfigError, DataError, GridError, Signal, TimeGrid
from timegrain.resample import refine


def cubic(times):
    return np.stack([times**3 - times, 2 * times], axis=-1)[None]


@pytest.fixture
def known():
    return Signal.sample(cubic, TimeGrid(dt=0.5, n=9, t0=1.0, unit="s"), name="cubic")


@pytest.mark.parametrize("interpolant", ["exact", "linear", "cubic"])
@pytest.mark.parametrize("factor", [1, 2, 3])
def test_samples_stay_at_their_instants(known, factor, interpolant):
    fine = refine(known, factor, interpolant=interpolant)
    assert fine.grid == TimeGrid(dt=0.5 / factor, n=8 * factor + 1, t0=1.0, unit="s")
    np.testing.assert_array_equal(fine.values[:, ::factor], known.values)


def test_exact_refinement_samples_the_function(known):
    np.testing.assert_array_equal(refine(known, 4).values, cubic(known.grid.refine(4).times))


def test_the_spline_reproduces_a_cubic_and_the_chord_does_not(known):
    truth = cubic(known.grid.refine(4).times)
    # Values reach 120; a spline system of nine knots has a condition number below 10.
    np.testing.assert_allclose(refine(known, 4, interpolant="cubic").values, truth, atol=1e-11)
    gap = np.abs(refine(known, 4, interpolant="linear").values - truth)
    # A chord misses x'' h^2 / 8 at mid-step at most: 6 * 5 * .25 / 8 = .94 in the first channel.
    assert 0.5 < gap[..., 0].max() < 0.94
    assert gap[..., 1].max() < 1e-14


@pytest.mark.parametrize(("interpolant", "order"), [("linear", 2), ("cubic", 4)])
def test_the_interpolant_caps_the_order_that_can_be_seen(interpolant, order):
    gaps = []
    for n in (33, 65):
        coarse = Signal.sample(lambda t: np.sin(t)[None, :, None], TimeGrid(dt=8 / (n - 1), n=n))
        truth = np.sin(coarse.grid.refine(4).times)
        gaps.append(
            np.abs(refine(coarse, 4, interpolant=interpolant).values[0, :, 0] - truth).max()
        )
    assert np.log2(gaps[0] / gaps[1]) == pytest.approx(order, abs=0.3)


def test_float32_samples_stay_float32():
    coarse = Signal(values=np.ones((1, 3, 1), np.float32), grid=TimeGrid(dt=1.0, n=3))
    assert refine(coarse, 2, interpolant="cubic").values.dtype == np.float32


def test_one_sample_refines_to_itself():
    lone = Signal(values=np.ones((2, 1, 3)), grid=TimeGrid(dt=1.0, n=1))
    assert refine(lone, 5, interpolant="linear").values.shape == (2, 1, 3)


def test_samples_alone_cannot_be_refined_exactly():
    bare = Signal(values=np.zeros((1, 4, 1)), grid=TimeGrid(dt=1.0, n=4), name="ecg")
    with pytest.raises(GridError, match="ecg"):
        refine(bare, 2)


def test_an_unknown_interpolant_suggests_the_nearest(known):
    with pytest.raises(ConfigError, match="Try cubic"):
        refine(known, 2, interpolant="cubik")


def test_a_gap_is_not_interpolated_over():
    values = np.zeros((1, 4, 1))
    values[0, 2] = np.nan
    with pytest.raises(DataError, match="filling the gaps"):
        refine(Signal(values=values, grid=TimeGrid(dt=1.0, n=4)), 2, interpolant="linear")


@pytest.mark.parametrize("factor", [0, -1, 1.5])
def test_a_factor_that_is_no_whole_number_is_refused(known, factor):
    with pytest.raises(GridError, match="factor"):
        refine(known, factor)
